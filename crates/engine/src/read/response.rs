/// A finished response body about several items, with the figures of the `x-count-*` headers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemsResponse {
    /// A JSON object; the caller may append members before its final brace.
    pub body: Vec<u8>,
    /// Items with a 2xx status.
    pub success: u32,
    /// Items with a 4xx status.
    pub failure: u32,
    /// Items with a 5xx status.
    pub error: u32,
}
