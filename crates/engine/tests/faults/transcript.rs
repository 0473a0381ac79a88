//! The requests of a process under test and their answers, as lines that outlive it.

use std::io::Write;

use serde::{Deserialize, Serialize};

use super::oracle::{Act, Oracle};

/// Marks the lines of events.
const MARK: &str = "@event ";
/// The number of answers to writes that are shown with a problem.
const SAID_SHOWN: usize = 8;

/// The end of a request.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum How {
    Done,
    /// Done or not: the error does not tell.
    Unknown,
    /// It was said that there is no such index.
    NoIndex,
    /// It was said that there is such an index.
    Exists,
}

impl How {
    pub fn tell(self, oracle: &mut Oracle, act: &Act) {
        match (self, act) {
            (Self::Done, _) => oracle.acknowledged(act),
            (Self::Unknown, _) => oracle.unknown(act),
            // A client that is told that there is nothing to drop takes it for dropped.
            (Self::NoIndex, Act::Drop(name)) => oracle.seen(name, false),
            (Self::NoIndex, _) => {}
            (Self::Exists, act) => oracle.seen(act.index(), true),
        }
    }
}

#[derive(Serialize, Deserialize)]
pub enum Event {
    Asks(Act),
    Answered(How),
    /// The contents were read: of the possible ones only these are left.
    Seen(Oracle),
    /// The rule was broken.
    Problem(String),
    /// The end, with a label to count it by.
    End(String),
}

impl Event {
    /// Tells the event on the standard output.
    pub fn say(&self) {
        let mut out = std::io::stdout().lock();
        write!(out, "{}", self.line()).unwrap();
        out.flush().unwrap();
    }

    /// The event as a line of its own.
    pub fn line(&self) -> String {
        format!("\n{MARK}{}\n", serde_json::to_string(self).unwrap())
    }

    fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line.strip_prefix(MARK)?).ok()
    }
}

/// The lines of a process, and all that follows from them.
pub struct Transcript {
    pub oracle: Oracle,
    pub problems: Vec<String>,
    pub label: Option<String>,
    /// The last answers.
    pub said: String,
}

impl Transcript {
    /// Reads the lines of a process that began where `oracle` was true.
    pub fn read(oracle: &Oracle, output: &str) -> Self {
        let mut transcript = Self {
            oracle: oracle.clone(),
            problems: Vec::new(),
            label: None,
            said: String::new(),
        };
        let mut asked: Option<Act> = None;
        let mut last = Vec::new();
        for line in output.lines().filter_map(Event::read) {
            match line {
                Event::Asks(act) => asked = Some(act),
                Event::Answered(how) => {
                    let act = asked.take().unwrap();
                    how.tell(&mut transcript.oracle, &act);
                    last.push(format!("{} {}: {how:?}", act.name(), act.index()));
                }
                Event::Seen(oracle) => transcript.oracle = oracle,
                Event::Problem(problem) => transcript.problems.push(problem),
                Event::End(label) => transcript.label = Some(label),
            }
        }
        if let Some(act) = asked {
            transcript.oracle.unknown(&act);
        }
        transcript.said = last
            .split_off(last.len().saturating_sub(SAID_SHOWN))
            .join(", ");
        transcript
    }
}
