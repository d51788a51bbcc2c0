"""Options, prices and prompts: what is checked before anything runs."""

import pytest

from coda_bench.errors import BadInput
from coda_bench.layout import Release
from coda_bench.records.run import Setting
from coda_bench.run.plan import RunOptions, default_directory, make_config, parse_instances
from coda_bench.run.prices import Price, Tokens, cost_usd, parse_prices, price_of
from coda_bench.run.prompt import task_prompt


@pytest.mark.parametrize(("text", "ids"), [("1,2,5-7", (1, 2, 5, 6, 7)), ("3", (3,)), (" 4 - 5 ,4", (4, 5))])
def test_instances_are_ids_and_ranges(text, ids):
    """In the order written, each once."""
    assert parse_instances(text) == ids


@pytest.mark.parametrize("text", ["", "a", "5-1", "1,,2", "-3", "1-99999999"])
def test_other_instances_are_refused(text):
    """The message shows how to write them."""
    with pytest.raises(BadInput, match="--instances"):
        parse_instances(text)


def test_an_unknown_instance_is_refused(release):
    """The message names it and the ids there are."""
    with pytest.raises(BadInput, match=r"no task 9 .*ids 1 to 4"):
        make_config(
            RunOptions(release=release, agent="nothing", instances=(1, 9)), Release.open(release), environment_lock=""
        )


def test_the_default_directory_depends_on_what_is_run_not_on_how(release):
    """Same experiment, same directory; another model or setting, another one."""

    def directory(**options):
        config = make_config(
            RunOptions(release=release, agent="react", **options), Release.open(release), environment_lock=""
        )
        return default_directory(config)

    base = directory(model="a/b")
    assert base == directory(model="a/b", jobs=1, retries=7)
    assert base.name.startswith("react-a-b-community-")
    assert base != directory(model="a/c")
    assert base != directory(model="a/b", setting=Setting.NO_DATA)
    assert base != directory(model="a/b", limit=2)


def test_costs_count_cached_tokens_at_their_own_price():
    """A million of each kind costs the sum of the four prices."""
    price = Price(input=1, output=2, cache_read=0.1, cache_write=1.25)
    million = Tokens(input=10**6, output=10**6, cache_read=10**6, cache_write=10**6)
    assert cost_usd(million, price) == pytest.approx(4.35)
    assert cost_usd(million, Price(input=1, output=2)) == pytest.approx(5)


def test_prices_of_users_outrank_the_list_and_unknown_ones_stay_unknown():
    """Snapshots with a date have the price of their model."""
    assert price_of("openai/gpt-5-2025-08-07") == price_of("openai/gpt-5")
    assert price_of("openai/gpt-5", {"openai/gpt-5": Price(input=9, output=9)}).input == 9
    assert price_of("openai/gpt-5-unheard-of") is None
    assert price_of("mockllm/model").output == 0


def test_prices_are_read_as_model_and_two_numbers():
    """A model's name may hold an equals sign."""
    assert parse_prices(["a/b=1,2.5", "c=d=0,0"]) == {
        "a/b": Price(input=1, output=2.5),
        "c=d": Price(input=0, output=0),
    }


@pytest.mark.parametrize("text", ["a/b", "a/b=1", "=1,2", "a/b=1,x", "a/b=-1,2", "a/b=1,2,3"])
def test_other_prices_are_refused(text):
    """The message shows how to write them."""
    with pytest.raises(BadInput, match="MODEL=INPUT,OUTPUT"):
        parse_prices([text])


def test_a_question_with_braces_is_given_as_it_is():
    """Questions and guidelines are never taken for templates."""
    prompt = task_prompt("Is {guideline} {x} here?", "Write {question}.", setting=Setting.COMMUNITY, time_s=90)
    assert "Is {guideline} {x} here?" in prompt
    assert "Write {question}." in prompt
    assert "90 seconds" in prompt


def test_keys_of_models_are_not_stored(release):
    """Neither run.json nor the directory's name depends on them."""

    def config(**arguments):
        options = RunOptions(release=release, agent="react", model="a/b", model_args=arguments)
        return make_config(options, Release.open(release), environment_lock="")

    stored = config(api_key="sesame", max_tokens=5)
    assert "sesame" not in stored.model_dump_json()
    assert stored.model_args["max_tokens"] == 5
    assert stored.identity() == config(api_key="other", max_tokens=5).identity()
