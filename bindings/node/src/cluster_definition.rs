//! The checks of a definition that an index on a cluster is to have.

use napi::Env;
use napi_derive::napi;

use crate::error::answer;

/// Checks the definition of a new index on a cluster. Throws `invalid_argument` where no index can be made with it.
#[napi(catch_unwind)]
pub fn check_cluster_definition(env: &Env, name: String, definition: &[u8]) -> napi::Result<()> {
    answer(env, || {
        Ok(pelorus_opensearch::check_definition(&name, definition)?)
    })
}

/// Checks that an index on a cluster may have the definition `other` in place of `definition`. Throws
/// `invalid_argument` where documents would be stored or searched otherwise.
#[napi(catch_unwind)]
pub fn check_cluster_redefinition(
    env: &Env,
    name: String,
    definition: &[u8],
    other: &[u8],
) -> napi::Result<()> {
    answer(env, || {
        let checked = pelorus_opensearch::check_redefinition(&name, definition, other);
        Ok(checked?)
    })
}
