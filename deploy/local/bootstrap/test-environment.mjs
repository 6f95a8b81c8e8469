// @ts-check

const settings = ['DATABASE_URL', 'NATS_URL', 'TEMPORAL_ADDRESS']

/**
 * The environment for starting servers under the tests: only `COFFER_TEST_*` may point them to a
 * running server, so that no test ever touches the one that `COFFER_*` names.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function testEnvironment(env) {
  const replaced = settings.map((name) => [`COFFER_${name}`, env[`COFFER_TEST_${name}`]])
  return { ...env, ...Object.fromEntries(replaced) }
}
