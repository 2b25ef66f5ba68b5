"""Facts of a sentence: numbers with their units, amounts, percentages, dates and times."""
