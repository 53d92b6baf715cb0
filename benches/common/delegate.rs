//! Work for a process of its own: this program again, the task an argument, the outcome its output.

use std::error::Error;
use std::process::{Command, Stdio};
use std::{env, io};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The first argument of a child; its task follows as JSON.
const CHILD: &str = "--bench-child";

/// The task, if this process is a child.
pub fn task_from_args<T: DeserializeOwned>() -> serde_json::Result<Option<T>> {
    let mut args = env::args().skip(1);
    match (args.next(), args.next()) {
        (Some(flag), Some(task)) if flag == CHILD => serde_json::from_str(&task).map(Some),
        _ => Ok(None),
    }
}

/// What a child found, to its parent.
pub fn answer(outcome: &impl Serialize) -> serde_json::Result<()> {
    serde_json::to_writer(io::stdout(), outcome)
}

/// The command that starts a child with that task.
pub fn command(task: &impl Serialize) -> Result<Command, Box<dyn Error>> {
    let mut command = Command::new(env::current_exe()?);
    command.arg(CHILD).arg(serde_json::to_string(task)?).stderr(Stdio::inherit());
    Ok(command)
}

/// Runs a child to its end.
pub fn outcome<R: DeserializeOwned>(mut command: Command) -> Result<R, Box<dyn Error>> {
    let output = command.output()?;
    if !output.status.success() {
        return Err(format!("the child process failed: {}", output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
