import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Answer } from '../harness/person.ts'
import { type Registered, requests, someAddress, startRegistered } from './known-addresses.ts'

let registered: Registered
beforeAll(async () => {
  registered = await startRegistered(1)
})
afterAll(async () => await registered[Symbol.asyncDispose]())

test.each(requests)(
  '%s has the same answer for known and unknown addresses',
  async (path, bodyOf) => {
    const [one, other] = await Promise.all(
      [...registered.known, someAddress()].map((email) => registered.post(path, bodyOf(email))),
    )
    expect([one?.status, one?.body]).toEqual([other?.status, other?.body])
    const names = ({ headers }: Answer) => [...headers.keys()].sort()
    expect(names(one as Answer)).toEqual(names(other as Answer))
  },
)
