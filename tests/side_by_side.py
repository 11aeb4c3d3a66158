"""Runs two commands at a time: the first one's output as it comes, then the second one's."""

from __future__ import annotations

import subprocess
import sys
import tempfile


def main(first: str, second: str) -> int:
    """Run both, and give 1 if one of them has failed."""
    with tempfile.TemporaryFile() as kept:
        beside = subprocess.Popen(second, shell=True, stdout=kept, stderr=subprocess.STDOUT)
        try:
            failed = [first] if subprocess.run(first, shell=True, check=False).returncode else []
            if beside.wait():
                failed.append(second)
        finally:
            beside.kill()
        kept.seek(0)
        sys.stdout.flush()
        sys.stdout.buffer.write(kept.read())
    for command in failed:
        print(f"failed: {command}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
