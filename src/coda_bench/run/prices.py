"""What model use costs: list prices in USD per million tokens, dated, and overridden by the user."""

from collections.abc import Iterable, Mapping

from coda_bench.errors import BadInput
from coda_bench.records.record import Record

PRICES_AS_OF = "2025-11"
"""Month in which the table was taken from the vendors' public price lists."""


class Price(Record):
    """USD per million tokens."""

    input: float
    output: float
    cache_read: float | None = None
    """None: as input."""
    cache_write: float | None = None
    """None: as input."""


class Tokens(Record):
    """Tokens of one model, the four kinds apart from one another."""

    input: int = 0
    """Neither read from nor written to a cache."""
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


_LIST_PRICES = {
    "anthropic/claude-haiku-4-5": Price(input=1, output=5, cache_read=0.1, cache_write=1.25),
    "anthropic/claude-opus-4-1": Price(input=15, output=75, cache_read=1.5, cache_write=18.75),
    "anthropic/claude-opus-4-5": Price(input=5, output=25, cache_read=0.5, cache_write=6.25),
    "anthropic/claude-sonnet-4-5": Price(input=3, output=15, cache_read=0.3, cache_write=3.75),
    "google/gemini-2.5-flash": Price(input=0.3, output=2.5, cache_read=0.075),
    "google/gemini-2.5-pro": Price(input=1.25, output=10, cache_read=0.31),
    "openai/gpt-4.1": Price(input=2, output=8, cache_read=0.5),
    "openai/gpt-4.1-mini": Price(input=0.4, output=1.6, cache_read=0.1),
    "openai/gpt-4o": Price(input=2.5, output=10, cache_read=1.25),
    "openai/gpt-4o-mini": Price(input=0.15, output=0.6, cache_read=0.075),
    "openai/gpt-5": Price(input=1.25, output=10, cache_read=0.125),
    "openai/gpt-5-mini": Price(input=0.25, output=2, cache_read=0.025),
}
_FREE = ("mockllm/",)


def parse_prices(texts: Iterable[str]) -> dict[str, Price]:
    """Read the user's prices, each `MODEL=INPUT,OUTPUT` in USD per million tokens.

    Raises:
        BadInput: not of this form, or a negative price.
    """
    prices = {}
    for text in texts:
        model, equals, numbers = text.rpartition("=")
        try:
            cost_in, cost_out = (float(number) for number in numbers.split(","))
        except ValueError:
            equals = ""
        if not equals or not model or min(cost_in, cost_out) < 0:
            raise BadInput(f"--price {text!r}: write MODEL=INPUT,OUTPUT in USD per million tokens, such as m/x=2,8")
        prices[model] = Price(input=cost_in, output=cost_out)
    return prices


def price_of(model: str, own: Mapping[str, Price] | None = None) -> Price | None:
    """Return the price of a model: the user's, else the list price, else None.

    A dated snapshot (`openai/gpt-5-2025-08-07`) has the price of its model.
    """
    if own and model in own:
        return own[model]
    if model.startswith(_FREE):
        return Price(input=0, output=0)
    name = model if model in _LIST_PRICES else _without_date(model)
    return _LIST_PRICES.get(name)


def _without_date(model: str) -> str:
    parts = model.split("-")
    while parts and parts[-1].isdigit() and "-".join(parts) not in _LIST_PRICES:
        parts.pop()
    return "-".join(parts)


def cost_usd(tokens: Tokens, price: Price) -> float:
    """Return the cost of model use in USD."""
    cache_read = price.input if price.cache_read is None else price.cache_read
    cache_write = price.input if price.cache_write is None else price.cache_write
    millionths = (
        tokens.input * price.input
        + tokens.output * price.output
        + tokens.cache_read * cache_read
        + tokens.cache_write * cache_write
    )
    return millionths / 1e6
