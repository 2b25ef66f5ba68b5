"""The peer of bench/api.py: a Flask route that runs one SELECT and answers JSON, nothing more."""

import os

from flask import Flask, Response, jsonify
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import text

_ONE = text("SELECT id, name, monthly_words FROM plans WHERE id = :id")


def bare() -> Flask:
    app = Flask("bare", static_folder=None)
    app.config["SQLALCHEMY_DATABASE_URI"] = os.environ["BENCH_DATABASE_URL"]
    db = SQLAlchemy(app)

    @app.get("/one")
    def one() -> Response:
        row = db.session.execute(_ONE, {"id": "growth"}).one()
        return jsonify({"id": row.id, "name": row.name, "words": row.monthly_words})

    return app
