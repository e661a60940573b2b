/** Runs the jobs, at most `size` at a time; gives a promise per job at once, in the order of the jobs. */
export function pool<Job, Result>(
  jobs: readonly Job[],
  size: number,
  run: (job: Job) => Promise<Result>,
): Promise<Result>[] {
  const deferred = jobs.map((job) => ({ job, ...Promise.withResolvers<Result>() }));
  let next = 0;
  const worker = async () => {
    for (let one = deferred[next++]; one !== undefined; one = deferred[next++]) {
      await run(one.job).then(one.resolve, one.reject);
    }
  };
  for (let n = 0; n < size; n++) void worker();
  const results = deferred.map(({ promise }) => promise);
  // Whoever awaits a result sees its failure; until then it must not count as unhandled.
  for (const result of results) result.catch(() => {});
  return results;
}
