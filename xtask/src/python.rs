//! The Python package: installed in its own virtual environment under `target`, checked and measured there.

use crate::programs::run;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A virtual environment.
pub struct Venv {
    folder: PathBuf,
}

impl Venv {
    /// Returns the environment `target/name` with the packages of some requirements files. It is created
    /// again if the requirements have changed since it was created.
    ///
    /// # Errors
    ///
    /// Fails if there is no suitable Python or an installation fails.
    pub fn with(name: &str, requirements: &[&str]) -> Result<Self> {
        let venv = Self { folder: std::path::absolute(Path::new("target").join(name))? };
        let texts = requirements.iter().map(|file| std::fs::read_to_string(file).context(file.to_string()));
        let wanted = texts.collect::<Result<Vec<_>>>()?.concat();
        let stamp = venv.folder.join("requirements.txt");
        if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
            return Ok(venv);
        }
        let python = python()?;
        run(
            Command::new(&python).args(["-m", "venv", "--clear"]).arg(&venv.folder),
            &format!("{python} -m venv {}", venv.folder.display()),
        )?;
        let mut pip = vec!["install", "--quiet", "--disable-pip-version-check"];
        requirements.iter().for_each(|file| pip.extend(["-r", file]));
        venv.run("pip", &pip)?;
        std::fs::write(stamp, wanted)?;
        Ok(venv)
    }

    /// Installs the package of this repository in the environment, with the module that cargo has built in
    /// the folder `built`. It is what `maturin develop` does, without building everything again.
    fn install(&self, built: &Path) -> Result<()> {
        use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
        let module = built.join(format!("{DLL_PREFIX}_moglb{DLL_SUFFIX}"));
        let name = if cfg!(windows) { "_moglb.pyd" } else { "_moglb.abi3.so" };
        let place = Path::new("python/moglb").join(name);
        // Replace the file instead of its content: a running program may have loaded the old file.
        let _ = std::fs::remove_file(&place);
        std::fs::copy(&module, &place).with_context(|| module.display().to_string())?;
        let place = "import sysconfig; print(sysconfig.get_path('purelib'))";
        let packages = self.command("python").args(["-c", place]).output()?.stdout;
        let packages = String::from_utf8(packages)?;
        let package = std::path::absolute("python")?;
        Ok(std::fs::write(Path::new(packages.trim()).join("moglb.pth"), format!("{}\n", package.display()))?)
    }

    /// Runs a program of the environment.
    pub fn run(&self, program: &str, arguments: &[&str]) -> Result<()> {
        let line = format!("{program} {}", arguments.join(" "));
        run(self.command(program).args(arguments), &line)
    }

    /// A command that runs a program of the environment.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.folder.join("bin").join(program));
        command.env("VIRTUAL_ENV", &self.folder).env_remove("CONDA_PREFIX");
        command
    }
}

/// Checks the package with the module and the command in the folder `built`: formatting, types, stubs, tests,
/// the site, and the examples on its pages.
pub fn check(built: &Path) -> Result<()> {
    let venv = Venv::with("python", &["python/requirements.txt", "docs/requirements.txt"])?;
    venv.run("ruff", &["format", "--check", "--quiet"])?;
    venv.run("ruff", &["check", "--quiet"])?;
    venv.install(built)?;
    venv.run("mypy", &[])?;
    venv.run("stubtest", &["moglb", "--mypy-config-file", "pyproject.toml"])?;
    run(venv.command("pytest").env("MOGLB_PROGRAM", built.join("moglb")), "pytest")?;
    let mut site = venv.command("mkdocs");
    run(
        site.args(["build", "--strict", "--quiet"]).env("NO_MKDOCS_2_WARNING", "1"),
        "mkdocs build --strict",
    )?;
    venv.run("python", &["docs/check_pages.py"])
}

/// Writes the stubs of the policy classes that Python creates at import.
pub fn make_rivals(built: &Path) -> Result<()> {
    let venv = Venv::with("python", &["python/requirements.txt", "docs/requirements.txt"])?;
    venv.install(built)?;
    venv.run("python", &["python/tools/make_rivals.py"])?;
    venv.run("ruff", &["check", "--quiet", "--fix", "python/moglb/__init__.py"])?;
    venv.run("ruff", &["format", "--quiet", "python/moglb"])
}

/// Measures the package and its peers in one run, with a release build.
pub fn bench(arguments: &[String]) -> Result<()> {
    let venv = Venv::with("python-bench", &["bench/python/requirements.txt"])?;
    venv.run("pip", &["install", "--quiet", "--disable-pip-version-check", "maturin>=1.9,<2"])?;
    venv.run("maturin", &["develop", "--quiet", "--release"])?;
    let mut peers = venv.command("python");
    peers.args(["bench/python/peers.py", "--report", "docs/performance-python.md"]).args(arguments);
    run(&mut peers, "python bench/python/peers.py")
}

/// The name of a Python program that is new enough.
fn python() -> Result<String> {
    for name in ["python3", "python"] {
        let asked =
            Command::new(name).args(["-c", "import sys; sys.exit(sys.version_info < (3, 10))"]).status();
        if asked.is_ok_and(|status| status.success()) {
            return Ok(name.into());
        }
    }
    bail!("Python 3.10 or later is needed for the tests of the Python package")
}
