"""The peer of bench/api.py: a Flask route that runs one SELECT and answers JSON, nothing more."""

import os

from flask import Flask, Response, jsonify
from sqlalchemy import create_engine, text

_ONE = text("SELECT id, name, monthly_words FROM plans WHERE id = :id")


def bare() -> Flask:
    app = Flask("bare", static_folder=None)
    engine = create_engine(os.environ["BENCH_DATABASE_URL"])

    @app.get("/one")
    def one() -> Response:
        with engine.connect() as connection:
            row = connection.execute(_ONE, {"id": "growth"}).one()
        return jsonify({"id": row.id, "name": row.name, "words": row.monthly_words})

    return app
