//! Refusals of the cluster, and the status that stands for each.

use serde::Deserialize;

/// The reason that the cluster gives for a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// As of HTTP, by [`status_of`].
    pub status: u16,
    /// Theirs, such as `index_not_found_exception`.
    pub kind: String,
    pub reason: String,
}

/// The error of a part of an answer, as the cluster writes it.
#[derive(Deserialize)]
pub(crate) struct Cause {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub reason: Option<String>,
}

impl Cause {
    pub fn with_status(self, status: u16) -> Refusal {
        Refusal::new(status, self.kind, self.reason.unwrap_or_default())
    }
}

impl Refusal {
    pub(crate) fn new(status: u16, kind: String, reason: String) -> Self {
        Self {
            status: status_of(status, &kind),
            kind,
            reason,
        }
    }

    /// Tells whether every action of the index fails so.
    pub(crate) fn is_of_all(&self) -> bool {
        matches!(
            &*self.kind,
            "index_not_found_exception" | "cluster_block_exception" | "security_exception"
        )
    }

    /// Tells whether an action that is sent again in a moment may succeed: the node that had it went away. A cluster that
    /// says that shards are unavailable has waited for them itself.
    pub(crate) fn may_pass(&self) -> bool {
        self.status == 503 && self.kind != "unavailable_shards_exception" && !self.is_of_all()
    }
}

/// Returns the status that stands for a refusal: 503 where a node or a copy of a shard is away or on its way, 429 where
/// there was no room, whatever status a node gives these; else its own.
pub fn status_of(status: u16, kind: &str) -> u16 {
    match kind {
        "node_not_connected_exception"
        | "node_disconnected_exception"
        | "node_closed_exception"
        | "connect_transport_exception"
        | "send_request_transport_exception"
        | "receive_timeout_transport_exception"
        | "no_shard_available_action_exception"
        | "unavailable_shards_exception"
        | "shard_not_found_exception"
        | "shard_not_in_primary_mode_exception"
        | "retry_on_primary_exception"
        | "retry_on_replica_exception"
        | "primary_missing_action_exception"
        | "illegal_index_shard_state_exception"
        | "index_shard_closed_exception"
        | "index_shard_not_started_exception"
        | "index_shard_not_recovering_exception"
        | "index_shard_recovering_exception"
        | "index_shard_relocated_exception"
        | "already_closed_exception"
        | "task_cancelled_exception"
        | "cluster_manager_not_discovered_exception"
        | "master_not_discovered_exception"
        | "not_cluster_manager_exception"
        | "not_master_exception"
        | "failed_to_commit_cluster_state_exception"
        | "process_cluster_event_timeout_exception"
        | "timeout_exception" => 503,
        "opensearch_rejected_execution_exception"
        | "rejected_execution_exception"
        | "circuit_breaking_exception" => 429,
        _ => status,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_is_away_is_a_refusal_for_now_whatever_its_status() {
        assert_eq!(status_of(500, "node_not_connected_exception"), 503);
        assert_eq!(status_of(503, "rejected_execution_exception"), 429);
        assert_eq!(status_of(500, "circuit_breaking_exception"), 429);
        assert_eq!(status_of(500, "null_pointer_exception"), 500);
        assert_eq!(status_of(404, "index_not_found_exception"), 404);
    }

    #[test]
    fn shards_that_the_cluster_has_waited_for_are_not_waited_for_again() {
        let may_pass = |kind: &str| Refusal::new(503, kind.to_owned(), String::new()).may_pass();
        assert!(may_pass("node_closed_exception"));
        assert!(!may_pass("unavailable_shards_exception"));
        assert!(!may_pass("cluster_block_exception"));
    }
}
