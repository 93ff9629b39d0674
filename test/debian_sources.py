# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Source packages of Debian (`apt-get source`, with a configuration of its own made from the machine's sources)."""
import re
import shutil
import subprocess
from pathlib import Path


def apt_options(work):
    """A configuration whose sources are the machine's own, as sources of source packages."""
    folder = work / "apt"
    for name in ("lists/partial", "cache/archives/partial", "parts"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    etc = Path("/etc/apt")
    for file in [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*"))]:
        if file.suffix in (".list", ".sources") and file.is_file():
            text = re.sub(r"^Types:.*", "Types: deb-src", file.read_text(), flags=re.M)
            lines = [line for line in text.splitlines() if not line.startswith("deb-src ")]
            text = "\n".join(re.sub(r"^deb ", "deb-src ", line) for line in lines) + "\n"
            (folder / "parts" / file.name).write_text(text)
    values = {"Dir::Etc::sourcelist": "/dev/null", "Dir::Etc::sourceparts": folder / "parts", "Dir::State::lists": folder / "lists",
              "Dir::Cache": folder / "cache", "APT::Sandbox::User": "root"}
    return [word for key, value in values.items() for word in ("-o", f"{key}={value}")]


def fetch(package, work):
    """The folder, below WORK, with the source of the source package of this name, with Debian's patches."""
    folder = work / "sources" / package
    ready = folder / ".ready"
    if not ready.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        options = apt_options(work)
        subprocess.run(["apt-get", *options, "-qq", "update"], check=True)
        subprocess.run(["apt-get", *options, "-qq", "source", package], check=True, cwd=folder)
        ready.touch()
    return next(p for p in sorted(folder.iterdir()) if p.is_dir())
