from app.services import operators


def test_an_unknown_name_costs_as_much_as_a_wrong_password_and_no_password_fits_it():
    assert not operators._hasher.check_needs_rehash(operators._NOBODY)
    assert not operators._fits(operators._NOBODY, "A" * 32)
