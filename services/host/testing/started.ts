import { afterAll, beforeAll } from '@jest/globals'

/**
 * Starts a resource before the tests of a file, and disposes of it afterwards. The result has its
 * members once the first test runs: a plain object whose members do not change.
 */
export function started<Resource extends AsyncDisposable>(
  start: () => Promise<Resource>,
): Resource {
  const resource = {} as Resource
  beforeAll(async () => {
    Object.assign(resource, await start())
  })
  afterAll(async () => {
    await resource[Symbol.asyncDispose]?.()
  })
  return resource
}
