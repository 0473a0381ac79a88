//! The reasons for which a model is not run here.

/// A model that another runtime has to run, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The file cannot be read.
    #[error("the file cannot be read: {reason}")]
    Unreadable {
        /// The words of the system.
        reason: String,
    },
    /// The file is no ONNX model.
    #[error("the file is damaged: {reason}")]
    Damaged {
        /// The damage.
        reason: String,
    },
    /// The model is none of those that are known here.
    #[error("{reason}")]
    NotOurs {
        /// The first difference.
        reason: String,
    },
    /// There are no ranges by which int8 is scaled.
    #[error("it has no calibration")]
    Uncalibrated,
    /// The ranges by which int8 is scaled cannot be had.
    #[error("its calibration cannot be used: {reason}")]
    Calibration {
        /// The fault.
        reason: String,
    },
}

impl Refusal {
    pub(crate) fn damaged(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::Damaged { reason }
    }

    pub(crate) fn no_memory() -> Self {
        Self::Unreadable {
            reason: "there is no memory for its weights".into(),
        }
    }

    pub(crate) fn calibration(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::Calibration { reason }
    }

    pub(crate) fn not_ours(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::NotOurs { reason }
    }
}
