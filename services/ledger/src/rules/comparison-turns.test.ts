import { expect, test } from '@jest/globals'
import { inTurn } from './comparison-turns.service.ts'

test('one comparison runs at a time, and ends with its request', async () => {
  const { signal } = new AbortController()
  const seen: string[] = []
  const compare = (name: string) =>
    inTurn(signal, async (pause) => {
      seen.push(`${name} begins`)
      await pause()
      seen.push(`${name} ends`)
    })
  await Promise.all([compare('first'), compare('second')])
  expect(seen).toEqual(['first begins', 'first ends', 'second begins', 'second ends'])
  const ended = new AbortController()
  const comparing = inTurn(ended.signal, async (pause) => {
    ended.abort(new Error('the request has ended'))
    await pause()
  })
  await expect(comparing).rejects.toThrow('the request has ended')
  await expect(inTurn(signal, async () => 'goes on')).resolves.toBe('goes on')
})

test('a comparison that does not get its turn is 503', async () => {
  const { signal } = new AbortController()
  const held = Promise.withResolvers<void>()
  const first = inTurn(signal, () => held.promise)
  await expect(inTurn(signal, async () => {})).rejects.toThrow('send the request again')
  held.resolve()
  await first
})
