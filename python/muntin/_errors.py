from muntin import _sparks


class MuntinError(RuntimeError):
    """Muntin cannot do this here; the message shows why, and what to do."""


HOW_TO_GET_PYSPARK = (
    "Install the Spark that you want; without a version it is the newest that muntin is for:\n\n"
    f"    pip install '{_sparks.requirement()}'\n\n"
    "or a client of a Spark Connect server:\n\n"
    f"    pip install '{_sparks.requirement_of_client()}'"
)
