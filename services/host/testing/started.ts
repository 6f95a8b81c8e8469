import { afterAll, beforeAll } from '@jest/globals'

/**
 * Starts a resource before the tests of a file, and disposes of it afterwards. The result has its
 * members once the first test runs: a plain object whose members do not change.
 */
export function started<Resource extends AsyncDisposable>(
  start: () => Promise<Resource>,
): Resource {
  const members = {} as Resource
  let resource: Resource | undefined
  beforeAll(async () => {
    resource = await start()
    Object.assign(members, resource)
  })
  // The resource itself: the members lack methods of its class, such as that of a stack.
  afterAll(async () => {
    await resource?.[Symbol.asyncDispose]()
  })
  return members
}
