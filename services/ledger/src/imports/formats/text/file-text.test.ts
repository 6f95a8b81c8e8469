import { expect, test } from '@jest/globals'
import { decodeFile, detectEncoding, encodingOf, isEncoding } from './file-text.ts'

const header = (encoding: string, charset: string) =>
  `OFXHEADER:100\r\nENCODING:${encoding}\r\nCHARSET:${charset}\r\n\r\n`
const xml = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>`

function bytes(head: string, ...tail: number[]): Uint8Array {
  return Uint8Array.of(...new TextEncoder().encode(head), ...tail)
}

test.each([
  ['1252', header('USASCII', '1252'), [0x43, 0xe9, 0x92], 'Cé’'],
  ['ISO-8859-1', header('USASCII', 'ISO-8859-1'), [0x43, 0xe9], 'Cé'],
  ['none', header('USASCII', 'NONE'), [0x43, 0xe9], 'Cé'],
  ['an unknown one', header('KLINGON', 'X-1'), [0x43, 0xe9], 'Cé'],
  ['no header', '<OFX>', [0x43, 0xe9], 'Cé'],
  ['UTF-8 declared as 1252', header('USASCII', '1252'), [0x43, 0xc3, 0xa9], 'Cé'],
  ['UTF-8', header('UTF-8', 'NONE'), [0x43, 0xc3, 0xa9], 'Cé'],
  ['UTF-8 that is not', header('UTF-8', 'NONE'), [0x43, 0xe9], 'Cé'],
  ['1251', header('USASCII', '1251'), [0xcf, 0xe8], 'Пи'],
  ['XML in ISO-8859-15', xml('ISO-8859-15'), [0xa4], '€'],
  ['XML in Shift_JIS', xml('Shift_JIS'), [0x92, 0x83], '茶'],
  ['HTML in 1254', '<html><meta charset="windows-1254">', [0xde], 'Ş'],
  ['HTML in 1254', '<META http-equiv=x content="text/html; charset=windows-1254">', [0xde], 'Ş'],
  ['XML that lies about UTF-16', xml('UTF-16'), [0x43], 'C'],
])('%s', (_what, head, tail, text) => {
  expect(decodeFile(bytes(head, ...tail))).toBe(`${head}${text}`)
})

test.each([
  ['UTF-8 with a byte order mark', [0xef, 0xbb, 0xbf, 0x3c, 0xc3, 0xa9], '<é'],
  ['UTF-16LE with a byte order mark', [0xff, 0xfe, 0x3c, 0x00, 0xe9, 0x00], '<é'],
  ['UTF-16BE with a byte order mark', [0xfe, 0xff, 0x00, 0x3c, 0x00, 0xe9], '<é'],
  ['UTF-16LE without one', [0x3c, 0x00, 0xe9, 0x00], '<é'],
  ['UTF-16BE without one', [0x00, 0x3c, 0x00, 0xe9], '<é'],
  ['nothing', [], ''],
])('%s', (_what, tail, text) => {
  expect(decodeFile(Uint8Array.of(...tail))).toBe(text)
})

// Without a declaration the character set is guessed. Each text is written in it by its letters.
const letters = [
  ['windows-1250', 'Příjem;Výdaj;Účet;Částka. Převod žádost Novák, úhrada nájmu Dvořák'],
  ['windows-1251', 'Дата;Описание;Сумма. Зарплата за январь, перевод от частного лица'],
  ['windows-1257', 'Gavėjas;Mokėjimas už paslaugas ąžuolas. Žemės ūkis šįmet, įmokos'],
  ['iso-8859-2', 'Odbiorca;Kwota. Żabka Łódź świeże, przelew przychodzący od męża'],
  ['windows-1252', 'Empfänger;Müller Bäckerei. Straße Gebühr für März'],
  // Files of few rows.
  ['windows-1257', 'Datums;Summa\n05.01.2026;Pārskaitījums no Jāņa;-5,00\n'],
  ['windows-1257', 'Data;Suma\n2026-01-05;Mokėjimas už prekes Šiauliai;-5,00\n'],
  ['windows-1252', 'Dags;Upphæð\n05.01.2026;Bónus matvöruverslun;-5\n06.01.2026;Þór;3\n'],
  ['windows-1252', 'Päivä;Summa\n05.01.2026;Käteisnosto Mäki;-5,00\n06.01.2026;Töölö;3\n'],
  ['windows-1254', 'Tarih;Açıklama\n05.01.2026;Maaş ödemesi İş;-5,00\n'],
  // As ISO-8859-7, which is as frequent, it has a control character.
  ['windows-1251', '13.01.2026;Зарплата за сентябрь магазин;-5,00'],
] as const

test.each(letters)('%s is guessed', (encoding, text) => {
  const codes = new Map(
    Array.from({ length: 128 }, (_, at) => {
      const letter = new TextDecoder(encoding).decode(Uint8Array.of(128 + at))
      return [letter, 128 + at] as const
    }),
  )
  const bytes = Uint8Array.from([...text], (letter) => codes.get(letter) ?? letter.charCodeAt(0))
  expect(detectEncoding(bytes)).toBe(encoding)
  expect(decodeFile(bytes)).toBe(text)
  expect(decodeFile(bytes, encoding)).toBe(text)
})

// Each in Shift_JIS, with one byte for each letter of the other encodings that it is not.
test.each([
  // 取引日,金額
  ['8ee688f893fa2c8be08a7a0a323032362f312f352c2d330a', 'shift_jis'],
  // 日付,摘要 and a name in half-width letters, ﾔﾏﾀﾞ
  ['93fa95742c934597760a323032362f312f352cd4cfc0de0a', 'shift_jis'],
  // ————————, a line of dashes
  ['6f0a9797979797979797', 'windows-1252'],
  // Macy’s, Wendy’s – “Žižek”
  ['4d61637992732c2057656e64799273209620938e699e656b94', 'windows-1252'],
] as const)('%s is %s', (hex, encoding) => {
  expect(detectEncoding(Buffer.from(hex, 'hex'))).toBe(encoding)
})

// Two words in Latvian fit several sets: the choice says that it may be wrong.
test.each([
  [bytes('Cafe'), 'the text is valid UTF-8'],
  [bytes('', 0xff, 0xfe, 0x3c, 0x00), 'the text is UTF-16'],
  [bytes(header('USASCII', '1257'), 0xe2), 'the file declares it'],
  [
    bytes('Maks', 0xe2, 0x6a, 0x75, 0x6d, 0x73, 0x20, 0xea, 0x64, 0x69, 0x65, 0x6e, 0x73),
    'guessed by few letters: state encoding if names look wrong',
  ],
  [bytes('', ...Array.from({ length: 60 }, () => [0x4d, 0xfc]).flat()), 'guessed by its bytes'],
])('%# has the reason %j of its encoding', (written, reason) => {
  expect(encodingOf(written).reason).toBe(reason)
  expect(encodingOf(written, 'windows-1257').reason).toBe('stated')
})

test.each([
  ['windows-1250', true],
  ['Shift_JIS', true],
  ['utf-16le', true],
  ['klingon', false],
])('%s can be stated: %s', (label, isKnown) => {
  expect(isEncoding(label)).toBe(isKnown)
})
