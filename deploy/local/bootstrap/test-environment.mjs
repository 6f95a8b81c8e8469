// @ts-check

const settings = ['DATABASE_URL', 'NATS_URL', 'TEMPORAL_ADDRESS']

/**
 * Returns the environment in which tests start servers. Running servers are named only by
 * `COFFER_TEST_*`, so no test writes to the servers that `COFFER_*` names.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function testEnvironment(env) {
  const replaced = settings.map((name) => [`COFFER_${name}`, env[`COFFER_TEST_${name}`]])
  return { ...env, ...Object.fromEntries(replaced) }
}
