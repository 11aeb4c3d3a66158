class MuntinError(RuntimeError):
    """Muntin cannot be used as asked; the message says why and what to do."""


NO_PYSPARK = "Install the Spark that this package is for:\n\n    pip install 'pyspark~=4.3.0'"
