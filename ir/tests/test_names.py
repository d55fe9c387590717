from tinsmith_ir.names import FreshNames, Names, identifier


def test_first_of_the_merged_names_is_kept() -> None:
    assert identifier("model/conv2d_1/Relu;model/bn/Fused") == "model_conv2d_1_Relu"


def test_what_c_does_not_allow_becomes_an_underscore() -> None:
    assert identifier("serving_default_input:0") == "serving_default_input_0"
    assert identifier("größe/x") == "gr_e_x"


def test_leading_digit_gets_an_underscore() -> None:
    assert identifier("0/conv") == "_0_conv"


def test_name_without_a_usable_character_is_value() -> None:
    assert identifier("") == identifier("???") == "value"


def test_long_name_keeps_its_last_words() -> None:
    name = identifier("/".join(["scope"] * 40) + "/conv")
    assert len(name) <= 48
    assert name.endswith("scope_conv")


def test_long_name_starting_with_a_digit_stays_an_identifier() -> None:
    assert len(identifier("9" * 100)) <= 48
    assert identifier("9" * 100).isidentifier()


def test_equal_names_are_numbered() -> None:
    names = Names()
    assert [names.unique("a/b"), names.unique("a_b"), names.unique("a/b;c")] == [
        "a_b",
        "a_b_2",
        "a_b_3",
    ]


def test_numbered_name_does_not_meet_one_that_was_there() -> None:
    names = Names()
    assert [names.unique("a"), names.unique("a_2"), names.unique("a")] == ["a", "a_2", "a_3"]


def test_fresh_names_meet_none_that_is_taken_or_was_given() -> None:
    fresh = FreshNames(["a", "a.3"])
    assert [fresh.name(wish) for wish in ("b", "a", "a", "b", "b.2")] == [
        "b",
        "a.2",
        "a.4",
        "b.2",
        "b.2.2",
    ]
    assert FreshNames(["a"], first=1).name("a") == "a.1"
