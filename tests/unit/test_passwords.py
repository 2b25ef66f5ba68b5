from app.services import passwords


def test_an_unknown_name_costs_as_much_as_a_wrong_password_and_no_password_fits_it():
    assert not passwords._hasher.check_needs_rehash(passwords._NOBODY)
    assert not passwords.fits(None, "A" * 32)
