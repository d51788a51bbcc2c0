"""Prediction: one agent's final answer to one task, as the data format document describes it."""

from typing import Annotated, Any

from pydantic import AllowInfNan, BaseModel, ConfigDict, Field, Strict, StrictInt, StrictStr

Number = Annotated[float, Strict(), AllowInfNan(allow_inf_nan=False)]
"""A finite number, and not a text that looks like one."""


class PredictionMetadata(BaseModel):
    """The optional fields the document names; anything else is kept (`model_extra`)."""

    model_config = ConfigDict(extra="allow", frozen=True)

    files_accessed: list[StrictStr] | None = None
    """Files opened, needed for discovery accuracy; None when the agent did not say."""
    files_used: list[StrictStr] | None = None
    """Files read by the final computation (our addition); None: `files_accessed` stands for it."""
    file_access_complete: bool | None = None
    """False when the tracker lost events (our addition); discovery is then not measured."""
    execution_time_seconds: Number | None = None
    code_generated: StrictStr | None = None
    num_retries: StrictInt | None = None
    confidence: Number | None = None


class Prediction(BaseModel):
    """One line of a predictions file; unknown fields are preserved."""

    model_config = ConfigDict(extra="allow", frozen=True)

    instance_id: StrictInt
    prediction: StrictStr
    method: StrictStr | None = None
    metadata: PredictionMetadata = Field(default_factory=PredictionMetadata)

    def to_row(self) -> dict[str, Any]:
        """Return the JSON object of the predictions file: fields that were absent stay absent."""
        return self.model_dump(exclude_unset=True)
