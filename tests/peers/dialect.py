"""Translates the parts of a statement outside of its windows into Spark's dialect."""

from __future__ import annotations

import re

_RULES: list[tuple[str, str]] = [
    # A comma after the last column.
    (r",(\s*)(?=FROM\b)", r"\1"),
    (r",(\s*)\)", r"\1)"),
    (r"\bcount\s*\(\s*\)", "count(*)"),
    (r"\bcount_star\s*\(\s*\)", "count(*)"),
    (r"\s*//\s*", " DIV "),
    (r"\brange\s*\(\s*(\d+)\s*\)(?=\s*\)|\s*$)", r"(SELECT id AS range FROM range(\1))"),
    (
        r"\bgenerate_series\s*\(\s*(\d+)\s*\)\s*(?:AS\s+)?(\w+)\s*\((\w+)\)",
        r"(SELECT id AS \3 FROM range(\1 + 1)) \2",
    ),
    (
        r"\bgenerate_series\s*\(([-\d\s]+),([-\d\s]+)\)(?=\s*(,|\)|UNION|ORDER|$))",
        r"(SELECT explode(sequence(\1, \2)) AS generate_series)",
    ),
    (r"\b(\d+)_(\d{3})(?:_(\d{3}))?\b", r"\1\2\3"),
    (r"\bgroup_concat\s*\(", "string_agg("),
    (r"\b(?:LIST|ARRAY_AGG)\s*\(", "array_agg("),
    (
        r"\bgenerate_series\s*\(([-\d\s]+),([-\d\s]+(?:,[-\d\s]+)?)\)\s*(?:AS\s+)?(\w+)\s*\((\w+)\)",
        r"(SELECT explode(sequence(\1, \2)) AS \4) \3",
    ),
    (
        r"\bgenerate_series\s*\(([-\d\s]+),([-\d\s]+(?:,[-\d\s]+)?)\)\s*(?:AS\s+)?(?!WINDOW|ORDER|WHERE|GROUP)(\w+)",
        r"(SELECT explode(sequence(\1, \2)) AS \3) \3",
    ),
    (
        r"\brange\s*\(\s*(-?\d+)\s*\)\s+(?:AS\s+)?(\w+)\s*\((\w+)\)",
        r"(SELECT id AS \3 FROM range(\1)) \2",
    ),
    (
        r"\brange\s*\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\)\s+(?:AS\s+)?(\w+)\s*\((\w+)\)",
        r"(SELECT id AS \4 FROM range(\1, \2)) \3",
    ),
    (
        r"\brange\s*\(\s*(-?\d+)\s*\)\s+(?:AS\s+)?(?=(?!WINDOW|WHERE|ORDER|QUALIFY|GROUP)[a-z])(\w+)",
        r"(SELECT id AS range FROM range(\1)) \2",
    ),
    (r"::\s*(?:int4|integer)\b", "::int"),
    (r"::\s*(?:int8|hugeint)\b", "::bigint"),
    (r"::\s*int2\b", "::smallint"),
    (r"::\s*(?:text|varchar)\b", "::string"),
    (r"::\s*float8\b", "::double"),
    (r"::\s*float4\b", "::float"),
    (r"::\s*numeric\b(?!\()", "::decimal(38,10)"),
    (r"::\s*(?:timestamptz|timestamp with time zone)\b", "::timestamp"),
    (
        r"'(-?\d+) (day|hour|minute|second|month|year)s?'\s*::\s*interval\b",
        r"INTERVAL '\1' \2",
    ),
    (r"'(\d+) min'(?:::interval)?", r"INTERVAL '\1' MINUTE"),
    (
        r"(?<!INTERVAL )'(\d+)'? (day|hour|minute|second|month|year)s?'? (?=PRECEDING|FOLLOWING)",
        r"INTERVAL '\1' \2 ",
    ),
    (r"\bAS\s+(TEXT|VARCHAR)\s*\)", "AS string)"),
    (r"\bAS\s+(REAL)\s*\)", "AS double)"),
    (r"\bINTERVAL\s+(-?\d+)\s+(DAY|HOUR|MINUTE|SECOND|MONTH|YEAR)S?\b", r"INTERVAL '\1' \2"),
    (
        r"\bINTERVAL\s+\((\w+)\)\s+(DAY|HOUR|MINUTE|SECOND|MONTH|YEAR)S?\b",
        r"(\1 * INTERVAL '1' \2)",
    ),
    (r"\bINTERVAL\s+'(-?\d+) (day|hour|minute|second|month|year)s?'", r"INTERVAL '\1' \2"),
    (r'"(\w+)"', r"`\1`"),
    (r"\bCOLLATE\s+(?:nocase|binary|\"C\")", ""),
    (r"\bNULLS\s+(FIRST|LAST)\s+NULLS\s+\w+", r"NULLS \1"),
]


_ENDS_ORDER = re.compile(
    r"(ROWS|RANGE|GROUPS|LIMIT|OFFSET|UNION|EXCEPT|INTERSECT|QUALIFY|IGNORE|RESPECT|WINDOW)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(r"\bORDER\s+BY\s+", re.IGNORECASE)
_NULLS = re.compile(r"\bNULLS\s+(FIRST|LAST)\s*$", re.IGNORECASE)
_FALLS = re.compile(r"\bDESC\s*$", re.IGNORECASE)


def nulls_last(text: str, first_where_descending: bool) -> str:
    """Add NULLS LAST to each ORDER BY, because Spark sorts nulls first in ascending orders."""
    made, at = "", 0
    while found := _ORDER.search(text, at):
        made += text[at : found.end()]
        at, depth, begin = found.end(), 0, found.end()
        while at <= len(text):
            sign = text[at] if at < len(text) else ")"
            ends = depth == 0 and (
                sign in "),;" or (text[at - 1].isspace() and _ENDS_ORDER.match(text, at))
            )
            if ends:
                item = text[begin:at]
                stripped = item.rstrip()
                if not _NULLS.search(stripped) and stripped:
                    falls = _FALLS.search(stripped) and first_where_descending
                    item = f"{stripped} NULLS {'FIRST' if falls else 'LAST'} "
                made += item
                if sign != ",":
                    break
                made += ","
                begin = at + 1
            depth += {"(": 1, ")": -1}.get(sign, 0)
            at += 1
    return made + text[at:]


def translated(text: str) -> str:
    for pattern, replacement in _RULES:
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE)
    return text


# The features of its own system that a statement requires outside of its windows, by a pattern.
OWN = [
    (
        r"\b(quantile|quantile_cont|quantile_disc|mad|fill|list_\w+|reservoir_quantile|arg_max|arg_min|histogram|entropy|product|favg|fsum|bitstring_agg)\s*\(",
        "functions",
    ),
    (r"\[|\{|\bstruct_pack\b|\blambda\b|->|\bUNNEST\b|\bCOLUMNS\s*\(", "lists, structs"),
    (
        r"\b(json_\w+|printf|hex|random|zeroblob|substr|julianday|random|total|row|char|instr|typeof|pg_\w+|to_char|unbounded\w*|nth_value_def|repeat|hash|log|date_part|strftime|make_\w+|bitcast|f)\s*\(",
        "functions",
    ),
    (r"\b(sqlite_\w+|pg_\w+)\b", "system tables"),
    (
        r"\bGLOB\b|\bMATCH\b|\bREGEXP\b|\bISNULL\b|\bNOTNULL\b|\bIS\s+DISTINCT|\bUSING\s+SAMPLE|\bTABLESAMPLE|\bASOF\b",
        "operators",
    ),
    (r":=|BITSTRING|\bcol0\b|FILTER\s*\((?!\s*WHERE)|\bRECURSIVE\b|COLLATE", "clauses, literals"),
    (r"\bdatetimes\b", "infinite times and intervals"),
    (r"'-?inf(inity)?'|::\s*(money|interval)\b", "infinite times, other types"),
    (r"\(\s*SELECT[^()]*\bOVER\s*\(.*?\)\s*\)", "subqueries with windows in expressions"),
    (
        r"logging_agg|sum_int_random|::\s*planets|empsalary\s+e\b|\bRETURNING\b",
        "own types, aggregates",
    ),
    (r"\bORDER\s+BY\s+ALL\b|\bGROUP\s+BY\s+ALL\b|^FROM\b|\bEXCLUDE\s*\(", "clauses"),
]


# Such features of statements that run in Spark with another result.
OTHERWISE = [
    (r"\w\s*/\s*\d|\d\s*/\s*\w", "whole numbers are divided as such"),
    (r"\bARRAY_AGG|\bLIST\s*\(", "nulls in lists"),
    (r"'[^']*'|\btext\b", "types of values, text"),
    (r"-1\.4", "the type of a default"),
    (r"\bfruits\b|\bdb_city\b", "collations of columns"),
    (r"median\(r::VARCHAR\)", "medians of texts"),
    (r"string_agg\(\s*\w+\s*\)", "the delimiter of string_agg"),
    (r"\bCAST\s*\(.*AS\s+INTEGER", "casts that round"),
    (r"SELECT NULL, 4\d", "an order of equal rows within the statement"),
]


def differs(text: str) -> str | None:
    """Return why the result may differ in Spark, apart from windows."""
    for pattern, what in OTHERWISE:
        if re.search(pattern, text, re.IGNORECASE):
            return what
    return None


# The texts of errors that are unrelated to windows.
ERRORS = {
    "MISSING_GROUP_BY": "columns without GROUP BY",
    "MISSING_AGGREGATION": "columns without GROUP BY",
    "CAST_INVALID_INPUT": "text as numbers",
    "DATATYPE_MISMATCH.BINARY_OP": "numbers as conditions",
    "UNSUPPORTED_SUBQUERY": "correlated subqueries",
    "INVALID_INLINE_TABLE": "inline tables",
    "UNRESOLVED_ROUTINE": "functions",
    "UNRESOLVABLE_TABLE_VALUED_FUNCTION": "functions",
    "UNSUPPORTED_DATATYPE": "types",
    "LATERAL_COLUMN_ALIAS_IN_WINDOW": "aliases of the same SELECT",
    "TABLE_OR_VIEW_NOT_FOUND": "tables that are large, or of types that Spark has not",
    "UNRESOLVED_COLUMN": "columns of types that Spark has not",
    'data type of the lower bound "STRING"': "numbers among texts",
    "ORDER BY value, of type STRING": "numbers among texts",
}


def needs(text: str, error: str = "") -> str | None:
    """Return the features of its own system that the statement requires outside of its windows."""
    for said, what in ERRORS.items():
        if said in error:
            return what
    for pattern, what in OWN:
        if re.search(pattern, text, re.IGNORECASE):
            return what
    return None
