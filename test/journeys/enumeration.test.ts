import { started } from '@coffer/host/testing/started'
import { expect, test } from '@jest/globals'
import type { Answer } from '../harness/person.ts'
import { requests, someAddress, startRegistered } from './known-addresses.ts'

const registered = started(() => startRegistered(1))

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
