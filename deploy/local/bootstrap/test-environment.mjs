// @ts-check

const settings = ['DATABASE_URL', 'NATS_URL', 'TEMPORAL_ADDRESS']

/**
 * The environment in which tests start servers. Only `COFFER_TEST_*` names running servers, so no
 * test writes to the servers of `COFFER_*`.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function testEnvironment(env) {
  const replaced = settings.map((name) => [`COFFER_${name}`, env[`COFFER_TEST_${name}`]])
  return { ...env, ...Object.fromEntries(replaced) }
}
