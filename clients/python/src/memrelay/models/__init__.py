"""What the relayer returns, as pydantic models with the names of the OpenAPI document."""
