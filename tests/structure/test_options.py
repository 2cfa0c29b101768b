"""An option is one declaration: verb, command, page and signature follow from it."""

import inspect
from dataclasses import fields

import pytest
from click.testing import CliRunner
from pydantic import ValidationError

import evenhand as eh
from evenhand import options
from evenhand.cli.options import Flags, command, declared
from evenhand.comparing.compare import compare
from evenhand.data.arguments import verb
from evenhand.errors import InputError
from evenhand.options import CompareOptions, Options, WholeNumber, of_uncertainty
from evenhand.web.answers import CompareBody, SeveralSystemsBody, with_options

RECORDS = [
    record
    for record in vars(options).values()
    if inspect.isclass(record) and issubclass(record, Options)
]


class RoundsOptions(CompareOptions):
    """Options of ``compare``, and one more."""

    rounds: int | None = of_uncertainty(
        None, WholeNumber(1), "Rounds after {seed}.", signed="further"
    )


@verb(RoundsOptions)
def rounds(arguments, options) -> eh.Comparison:
    """Compare systems, in rounds."""
    return compare.__wrapped__(arguments, options)


SYSTEMS = (list("aabb"), list("aabb"), list("abbb"))


def test_a_new_option_is_in_the_verb():
    assert inspect.signature(rounds).parameters["rounds"].default is None
    with pytest.raises(InputError, match="rounds must be a whole number ≥ 1, got 0"):
        rounds(*SYSTEMS, rounds=0)
    with pytest.raises(TypeError, match=r"rounds\(\) got an unexpected keyword argument 'round'"):
        rounds(*SYSTEMS, round=1)


def test_a_new_option_is_in_signature_json_and_footnote():
    result = rounds(*SYSTEMS, rounds=7, margin=0.1, metrics="accuracy")
    assert "+margin.0.1+rounds.7" in result.signature.interval
    assert "+rounds.7" in result.to_json()
    assert "rounds 7" in result.content().footnote
    assert "rounds" not in rounds(*SYSTEMS, metrics="accuracy").signature.interval


def test_a_new_option_is_in_the_command():
    @command(RoundsOptions)
    @declared(RoundsOptions)
    def rounds_command(flags: Flags) -> None:
        print(rounds(*SYSTEMS, **flags.arguments(None)).signature.interval)

    run = CliRunner().invoke
    assert "Rounds after --seed.  [x>=1]" in run(rounds_command, ["--help"]).output
    drawn = ("--metric", "accuracy", "--replicates", "20")
    assert run(rounds_command, ["--rounds", "7", *drawn]).output.endswith("+rounds.7\n")
    assert "0 is not in the range x>=1" in run(rounds_command, ["--rounds", "0"]).output


def test_a_new_option_is_in_the_page():
    body = with_options(SeveralSystemsBody, RoundsOptions)
    assert body.model_fields.keys() - CompareBody.model_fields.keys() == {"rounds"}
    systems = {"true": SYSTEMS[0], "systems": {"A": SYSTEMS[1], "B": SYSTEMS[2]}}
    assert body(**systems, rounds=7).rounds == 7
    with pytest.raises(ValidationError):
        body(**systems, rounds=0)


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.__name__)
def test_defaults_fit_and_every_help_ends_as_a_sentence(record):
    known = record.declared()
    for f in fields(record):
        if f.name in known and f.default not in (None, options.REQUIRED):
            known[f.name].kind.check(f.default, f.name)
    helps = [d.help for d in known.values() if d.help]
    assert all(text.endswith((".", "]")) for text in helps)
