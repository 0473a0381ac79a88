/** The members of an answer about a deletion as a whole. */
export function deletionMembers(index: string, startedAt: Date, finishedAt: Date) {
  const seconds = (finishedAt.getTime() - startedAt.getTime()) / 1000;
  return {
    index_name: index,
    status: 'succeeded',
    type: 'documentDeletion',
    duration: `PT${seconds.toFixed(3)}S`,
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt.toISOString(),
  };
}
