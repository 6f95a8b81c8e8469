import { afterAll, beforeAll } from '@jest/globals'

/** The resources of the test file under way, as a worker runs one file after the other. */
let open = new AsyncDisposableStack()

/**
 * Starts a resource before the tests of a file, and disposes of it afterwards: the one that started
 * last first, as services need their mail server to the end. The result has its members once the
 * first test runs: a plain object whose members do not change.
 */
export function started<Resource extends AsyncDisposable>(
  start: () => Promise<Resource>,
): Resource {
  const resource = {} as Resource
  beforeAll(async () => {
    Object.assign(resource, open.use(await start()))
  })
  // The first of these calls disposes of all: jest runs them in the order of their registration.
  afterAll(async () => {
    const ended = open
    open = new AsyncDisposableStack()
    await ended.disposeAsync()
  })
  return resource
}
