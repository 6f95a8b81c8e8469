import { expect, test } from '@jest/globals'
import { changesOf, updateAsRead } from './as-read.ts'

const seen = { name: 'Rent', targetAmount: 800, currentAmount: 5 }

/** Changes the name and the target of an object that others change before each attempt. */
async function save(changes: Partial<typeof seen>[], body: object, etag = '"tag"') {
  let present = seen
  const sent: object[] = []
  const read = async () => {
    present = { ...present, ...changes.shift() }
    return { data: present, etag }
  }
  const update = async (of: object, condition: object) => {
    sent.push({ ...of, ...condition })
    if (changes.length > 0) throw Object.assign(new Error('changed'), { status: 412 })
    return { data: of }
  }
  const { conflict } = await updateAsRead({ seen, body, read, update })
  return { sent, conflict }
}

const body = { targetAmount: 900 }

test.each([
  ['nothing', [{}]],
  ['another field', [{ name: 'Flat', currentAmount: 9 }]],
  ['the same to the same value', [{ targetAmount: 900 }]],
])('a change is saved by the tag that was read, if others changed %s', async (_, others) => {
  const saved = await save(others, body)
  expect(saved).toEqual({ sent: [{ targetAmount: 900, ifMatch: '"tag"' }], conflict: undefined })
})

test('a change of the same field in between is a conflict, and is not overwritten', async () => {
  const present = { ...seen, name: 'Flat', targetAmount: 850 }
  const conflict = { present, fields: ['targetAmount'] }
  expect(await save([present], body)).toEqual({ sent: [], conflict })
  const later = await save([{ name: 'Flat' }, { targetAmount: 850 }], body)
  expect(later).toEqual({ sent: [{ targetAmount: 900, ifMatch: '"tag"' }], conflict })
})

test('a weak tag is not sent; an object that changes all the time is refused', async () => {
  expect((await save([{}], body, 'W/"tag"')).sent).toEqual([body])
  await expect(save([{}, {}, {}, {}], body)).rejects.toThrow('changed')
})

test('the changes of a form are its fields with another value', () => {
  const fields = { name: 'Rent', targetAmount: 900, tags: ['food'] }
  expect(changesOf(fields, { ...seen, tags: ['food'] })).toEqual({ targetAmount: 900 })
})
