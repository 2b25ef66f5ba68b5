"""How texts speak to a language model: words, phrases, markup, disguises. Begin at
`app/core/injection.py`."""
