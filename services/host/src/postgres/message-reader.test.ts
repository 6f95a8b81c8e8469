import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { MessageReader } from './message-reader.ts'

const message = fc.record({
  type: fc.integer({ min: 0, max: 255 }),
  body: fc.uint8Array({ maxLength: 40 }),
})

function encoded({ type, body }: { type: number; body: Uint8Array }): Buffer {
  const head = Buffer.alloc(5)
  head[0] = type
  head.writeUInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

test('messages are the same, however their bytes are divided', () => {
  fc.assert(
    fc.property(fc.array(message), fc.array(fc.nat()), (messages, cuts) => {
      const bytes = Buffer.concat(messages.map(encoded))
      const read: typeof messages = []
      const reader = new MessageReader((type, chunk, start, end) => {
        read.push({ type, body: new Uint8Array(chunk.subarray(start, end)) })
      })
      const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length]
      places.sort((a, b) => a - b)
      for (const [index, place] of places.entries()) {
        reader.read(bytes.subarray(place, places[index + 1]))
      }
      expect(read).toEqual(messages)
    }),
  )
})
