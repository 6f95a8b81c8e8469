import { describe, expect, test } from '@jest/globals'
import { password } from './credentials.ts'
import { name, notes, phrase, text, texts, timestamp } from './fields.ts'

describe('joiners in free texts', () => {
  test.each([
    ['👨‍👩‍👧', 'a joined emoji'],
    ['❤️‍🔥', 'an emoji joined after a variation selector'],
    ['می‌خواهم', 'a Persian word'],
    ['അവന്‍ വീട്', 'a Malayalam word that ends with a joiner after its virama'],
  ])('%s is accepted: %s', (value) => {
    for (const field of [name, text, notes]) expect(field.parse(value)).toBe(value)
    expect(notes.parse(`${value}\n${value}`)).toBe(`${value}\n${value}`)
  })

  test.each([
    ['a\u0000b', 'a control character'],
    ['a\u202Eb', 'a bidi override'],
    ['a\u2066b\u2069', 'a bidi isolate'],
    ['a\u200Bb', 'a zero-width space'],
    ['a\u2060b', 'a word joiner'],
    ['a\uFEFFb', 'a byte order mark'],
    ['\u200D', 'a joiner alone'],
    ['\u200Ca', 'a joiner before everything'],
    ['a\u200D', 'a joiner after everything'],
    ['a\u200C b', 'a joiner before a space'],
    ['a\u200D\u200Db', 'two joiners'],
  ])('%j is refused: %s', (value) => {
    for (const field of [name, text, notes]) {
      expect(field.safeParse(value).error?.issues).toMatchObject([{ message: texts.printable }])
    }
  })

  test('passwords accept no joiners', () => {
    expect(password.safeParse('correct\u200Dhorse').success).toBe(false)
  })
})

test('texts are brought to NFC, and have their bound in it too', () => {
  expect(name.parse('Cafe\u0301 ')).toBe('Caf\u00E9')
  expect(name.safeParse('\u0958'.repeat(300)).success).toBe(false)
})

// The other checks of a text of megabytes block the event loop.
test.each([
  ['name', name, 300],
  ['text', text, 300],
  ['notes', notes, 2_000],
  ['password', password, 72],
  ['phrase', phrase, 1_000],
])('the length of a %s is checked before its characters', (_name, field, max) => {
  const problemOf = (value: string) => field.safeParse(value).error?.issues[0]?.message
  expect(problemOf(`a${'\u0000'.repeat(2 * max)}`)).toMatch(`${max} characters`)
  expect(problemOf('𝒳'.repeat(max))).toBeUndefined()
  expect(problemOf('𝒳'.repeat(max + 1))).toMatch(`${max} characters`)
})

test('T and Z of a timestamp may be lower case (RFC 3339 5.6)', () => {
  expect(timestamp.parse('2026-01-31t06:00:00z')).toEqual(timestamp.parse('2026-01-31T06:00:00Z'))
  expect(timestamp.safeParse('2026-01-31t06:00:00').success).toBe(false)
})
