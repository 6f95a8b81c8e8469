import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { nextVersion } from './version.ts'

const noon = new Date('2026-03-02T12:00:00Z')
const clock = 1_772_452_800_000_000n

test.each([
  { when: 'the clock is ahead', previous: clock - 1_000n, next: clock },
  { when: 'nothing came before', previous: 0n, next: clock },
  { when: 'the clock has not moved', previous: clock, next: clock + 1n },
  { when: 'the clock was set back', previous: clock + 60_000_000n, next: clock + 60_000_001n },
])('the version where $when', ({ previous, next }) => {
  expect(nextVersion(previous, noon)).toBe(next)
})

const instants = fc.date({ min: new Date(0), max: new Date('2255-01-01'), noInvalidDate: true })

test('versions rise whatever the clock does, and are exact as JSON numbers', () => {
  fc.assert(
    fc.property(fc.array(instants, { minLength: 1 }), (clocks) => {
      let version = 0n
      for (const now of clocks) {
        const next = nextVersion(version, now)
        expect(next).toBeGreaterThan(version)
        version = next
      }
      expect(version).toBeLessThan(2n ** 53n)
    }),
  )
})

test('a copy that lost versions gives later ones as soon as its clock is later', () => {
  fc.assert(
    fc.property(instants, fc.integer({ min: 1, max: 1_000 }), (then, laterMs) => {
      const lost = nextVersion(0n, then)
      const restored = nextVersion(0n, new Date(0))
      expect(nextVersion(restored, new Date(then.getTime() + laterMs))).toBeGreaterThan(lost)
    }),
  )
})
