//! The table of what was found.

use std::process::ExitCode;
use std::time::Instant;

/// Rows of it, printed as they come.
pub struct Report {
    begun: Instant,
    wrong: Vec<String>,
    absent: Vec<String>,
    right: usize,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            wrong: Vec::new(),
            absent: Vec::new(),
            right: 0,
        }
    }
}

impl Report {
    /// A value that was held against another.
    pub fn judge(&mut self, what: &str, is_right: bool, figure: &str) {
        if is_right {
            self.right += 1;
            self.line("right", what, figure);
        } else {
            self.wrong(what, figure);
        }
    }

    pub fn wrong(&mut self, what: &str, figure: &str) {
        self.wrong.push(what.to_owned());
        self.line("WRONG", what, figure);
    }

    /// A figure that nobody judges.
    pub fn figure(&self, what: &str, figure: &str) {
        self.line("", what, figure);
    }

    /// Something that could not be compared with.
    pub fn absent(&mut self, what: &str, reason: &str) {
        self.absent.push(what.to_owned());
        self.line("ABSENT", what, reason);
    }

    fn line(&self, outcome: &str, what: &str, figure: &str) {
        let seconds = self.begun.elapsed().as_secs_f64();
        println!("{seconds:7.1} s | {outcome:6} | {what:44} | {figure}");
    }

    /// The last lines, and the exit code.
    pub fn end(self) -> ExitCode {
        let Self {
            wrong,
            absent,
            right,
            begun,
        } = self;
        let seconds = begun.elapsed().as_secs_f64();
        println!("{right} right, {} wrong, in {seconds:.0} s", wrong.len());
        if !absent.is_empty() {
            println!("NOT COMPARED, for want of it: {}", absent.join(", "));
        }
        if wrong.is_empty() {
            return ExitCode::SUCCESS;
        }
        println!("WRONG: {}", wrong.join(", "));
        ExitCode::FAILURE
    }
}
