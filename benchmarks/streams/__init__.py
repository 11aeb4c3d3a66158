"""Windows on streams, compared with other stateful operators."""
