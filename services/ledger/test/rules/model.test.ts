import { booting } from '@coffer/host/testing/booting'
import { sampleSize } from '@coffer/kit/testing/sample-size'
import { newId } from '@coffer/kit/values/id'
import { SuggestionService } from '@coffer/proto/ledger/v1/suggestion'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { auditLedger } from '../../src/money/audit.sql.ts'
import { ledger } from '../../src/service.ts'
import { importFile, undo } from '../imports/uploading.ts'
import {
  at,
  bringPair,
  brings,
  type Choice,
  choice,
  createWorld,
  fileOf,
  live,
  nextDate,
  partsOf,
  pendingIn,
  postOnce,
  read,
  readMoney,
  store,
  type World,
  words,
} from './model-world.ts'
import {
  acceptRow,
  applyRules,
  edit,
  fields,
  joinRows,
  type ModelRule,
  partRow,
  separateRows,
  undoChanges,
} from './rule-model.ts'
import { rulingOf, runningOf } from './ruling.ts'

const booted = booting([ledger])
const operations: Record<Choice['kind'], (world: World, of: Choice) => Promise<unknown>> = {
  bring: async (world, { word, isPending = false, isRefund, pick }) => {
    const text = `${word.toUpperCase()} STREET`
    const amount = (isRefund ? -1n : 1n) * BigInt(100 + pick)
    const { bankAccountId } = world.fed
    const row = store(world, { date: nextDate(world), bankAccountId, text, amount, isPending })
    await brings(world, row, newId('p'))
    // A repetition changes nothing.
    if (pick % 3 === 0) await brings(world, row, world.providerIds.get(row) ?? '')
  },
  post: async (world, { word, pick }) => {
    const row = at(pendingIn(world), pick)
    if (row) await postOnce(world, row, `${word.toUpperCase()} STREET`)
  },
  tip: async (world, { pick }) => {
    const pending = at(pendingIn(world), pick)
    if (!pending || pending.amount < 0n) return
    const [was, id] = [world.providerIds.get(pending), newId('p')]
    const amount = (pending.amount * 11n) / 10n
    const posted = store(world, { ...pending, amount, isPending: false })
    await brings(world, posted, id)
    await world.fed.loses(was)
    const before = { pending: structuredClone(pending), posted: structuredClone(posted) }
    const left = joinRows(pending, posted)
    if (left === pending) world.joins.push({ row: left, ...before })
    world.rows = world.rows.filter((row) => row === left || (row !== pending && row !== posted))
    world.providerIds.set(left, id)
  },
  separate: async (world, { pick }) => {
    const join = at(
      world.joins.filter(({ row }) => !row.isGone),
      pick,
    )
    if (!join) return
    world.joins = world.joins.filter((one) => one !== join)
    const { bankAccountId, as } = world.fed
    const { transactionId = '' } = (await read(world)).get(join.row.date) ?? {}
    const suggestions = booted.client('ledger', SuggestionService)
    await suggestions.separateTransaction({ bankAccountId, transactionId }, as)
    const left = separateRows(join)
    world.rows.push(left)
    world.providerIds.set(left, world.providerIds.get(join.row) ?? '')
  },
  joinAndSeparate: async (world, of) => {
    const pending = pendingIn(world).find(({ amount }) => amount > 0n)
    if (!pending) return
    // A pending row that its user has edited stays when the posted one joins it.
    await operations.edit(world, { ...of, pick: live(world).indexOf(pending) })
    await operations.tip(world, { ...of, pick: pendingIn(world).indexOf(pending) })
    if (of.pick % 2 === 0 && world.rules.length > 0) await runOnce(world, world.rules)
    if (of.pick % 3 === 0) await operations.edit(world, of)
    await operations.separate(world, { ...of, pick: Math.max(0, world.joins.length - 1) })
  },
  accept: async (world, of) => {
    const { pending, posted, key } = await bringPair(world, of.word)
    await operations.edit(world, { ...of, pick: live(world).indexOf(pending) })
    const [field = 'notes'] = of.some
    const other = { ...of, field, isRefund: of.pick % 2 === 0 }
    await operations.edit(world, { ...other, pick: live(world).indexOf(posted) })
    const { as } = world.fed
    const suggestions = booted.client('ledger', SuggestionService)
    const suggestion = { kind: 'pending', transactionId: key.pendingId }
    await suggestions.acceptSuggestion({ ...key, suggestion }, as)
    const before = { ...pending, fields: { ...pending.fields } }
    acceptRow(pending, posted)
    world.rows = world.rows.filter((row) => row !== posted)
    await compare(world)
    if (of.pick % 2 && world.rules.length > 0) await runOnce(world, world.rules)
    if (of.pick % 3) await operations.edit(world, { ...of, pick: live(world).indexOf(pending) })
    if (of.pick % 7 === 0) return
    await suggestions.separateTransaction({ ...key, transactionId: key.pendingId }, as)
    partRow({ row: pending, pending: before, posted })
    world.rows.push(posted)
  },
  file: async (world, { word, pick, isRefund }) => {
    const { bankAccountId } = world.manual
    const rows = Array.from({ length: 1 + (pick % 3) }, (_, index) => {
      const text = `${index === 0 ? word : (at(words, pick + index) ?? word)} market`
      const amount = isRefund ? -250n : BigInt(100 + pick)
      return store(world, { date: nextDate(world), bankAccountId, text, amount, isPending: false })
    })
    const file = fileOf(rows)
    const { transactionUploadId: id } = await importFile(world.manual, file)
    world.uploads.push({ id, rows })
    if (pick % 4 === 0) await importFile(world.manual, file)
  },
  undoFile: async (world, { pick }) => {
    const upload = at(world.uploads, pick)
    if (!upload) return
    world.uploads = world.uploads.filter((one) => one !== upload)
    await undo(world.manual, upload.id)
    for (const row of upload.rows) row.isGone = true
  },
  edit: async (world, { field, pick, isRefund }) => {
    const row = at(live(world), pick)
    if (!row) return
    const { bankAccountId, amount } = row
    const own = [...world.owners].find(([, owner]) => owner === bankAccountId)?.[0] ?? null
    // Every third edit states the present value, which a rule may have set.
    const isSame = pick % 3 === 0 && row.fields[field].value !== null
    const wanted = field === 'tags' ? ['mine'] : field === 'spendingId' ? own : `Mine ${pick}`
    const cleared = isRefund && field !== 'name' ? (field === 'tags' ? [] : null) : wanted
    const value = isSame ? row.fields[field].value : cleared
    const path = field === 'spendingId' && amount < 0n ? 'refundSpendingId' : field
    const transactionId = (await read(world)).get(row.date)?.transactionId ?? ''
    const updateMask = { paths: [path.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)] }
    const set = { [path]: value ?? undefined }
    const request = { bankAccountId, transactionId, ...set, updateMask }
    await world.fed.transactions.updateTransaction(request, world.fed.as)
    edit(row, field, value)
  },
  rule: async (world, of) => {
    const { rule, parts } = partsOf(world, of)
    const [ruleId = ''] = await rulingOf(booted)(world.fed).write(parts)
    world.rules.push({ ...rule, ruleId })
  },
  change: async (world, of) => {
    const rule = at(world.rules, of.pick)
    if (!rule) return
    const { rule: changed, parts } = partsOf(world, of)
    const { ruleId } = rule
    await rulingOf(booted)(world.fed).client.updateRule({ ruleId, ...parts }, world.fed.as)
    world.rules = world.rules.map((one) => (one === rule ? { ...changed, ruleId } : one))
  },
  remove: async (world, { pick }) => {
    const rule = at(world.rules, pick)
    if (!rule) return
    await rulingOf(booted)(world.fed).client.deleteRule({ ruleId: rule.ruleId }, world.fed.as)
    world.rules = world.rules.filter((one) => one !== rule)
  },
  order: async (world) => {
    world.rules.reverse()
    const ruleIds = world.rules.map(({ ruleId }) => ruleId)
    await rulingOf(booted)(world.fed).client.orderRules({ ruleIds }, world.fed.as)
  },
  run: async (world, { pick }) => {
    if (world.rules.length === 0) return
    const rules = pick % 2 ? world.rules : world.rules.slice(pick % world.rules.length)
    await runOnce(world, rules)
    if (pick % 5 === 0) expect((await runOnce(world, rules)).changedCount).toBe(0n)
    if (pick % 3 > 0) return
    // Chosen rules take back nothing that all have set, whatever was run before.
    await runOnce(world, world.rules)
    for (const one of [rules, world.rules])
      expect((await runOnce(world, one)).changedCount).toBe(0n)
  },
  undoRun: async (world, { pick }) => {
    const run = at(
      world.runs.filter(({ ruleRunId }) => ruleRunId !== ''),
      pick,
    )
    if (run) await undoOnce(world, run)
  },
  // The undo brings back a name that the provider states no longer.
  runAndPost: async (world, { pick }) => {
    const row = at(pendingIn(world), pick)
    if (!row || world.rules.length === 0) return
    await runOnce(world, world.rules)
    const run = world.runs.at(-1)
    // A text that no rule looks for.
    await postOnce(world, row, 'KIOSK')
    if (run) await undoOnce(world, run)
  },
  runAndUndo: async (world) => {
    if (world.rules.length === 0) return
    const before = await readMoney(world)
    await runOnce(world, world.rules)
    const run = world.runs.at(-1)
    if (run) await undoOnce(world, run)
    expect(await readMoney(world)).toEqual(before)
  },
  runAndEdit: async (world, of) => {
    if (world.rules.length === 0) return
    const { start, ended } = runningOf(booted)(world.fed)
    const started = await start()
    await operations.edit(world, of)
    expect(await ended(started?.ruleRunId)).toMatchObject({ status: 'complete' })
    const applied = live(world).map((row) => applyRules(row, world.rules, world.owners).change)
    // Without an ID it is not undone: the run may have set the field before its user did.
    world.runs.push({ ruleRunId: '', changes: applied.filter(({ set }) => set.length > 0) })
  },
}

/** Undoes a run on the server and in the model, and compares the counts. */
async function undoOnce(world: World, run: World['runs'][number]): Promise<void> {
  const later = world.runs.slice(world.runs.indexOf(run) + 1)
  world.runs = world.runs.filter((one) => one !== run)
  const { undo, ended } = runningOf(booted)(world.fed)
  await undo(run.ruleRunId)
  const counts = undoChanges(
    run.changes,
    later.flatMap(({ changes }) => changes),
  )
  expect(await ended(run.ruleRunId)).toMatchObject({ status: 'undone', ...counts })
}

/** Runs rules on the server and in the model, and compares the counts. */
async function runOnce(world: World, rules: readonly ModelRule[]) {
  const { start, ended } = runningOf(booted)(world.fed)
  const started = await start({ ruleIds: rules.map(({ ruleId }) => ruleId) })
  const applied = live(world).map((row) => applyRules(row, world.rules, world.owners, rules))
  const changes = applied.map(({ change }) => change).filter(({ set }) => set.length > 0)
  const run = await ended(started?.ruleRunId)
  const changedCount = BigInt(changes.length)
  const matchedCount = BigInt(applied.filter(({ isMatched }) => isMatched).length)
  expect(run).toMatchObject({ status: 'complete', matchedCount, changedCount })
  world.runs.push({ ruleRunId: run?.ruleRunId ?? '', changes })
  return { changedCount }
}

/** Compares values and provenance of all transactions with the model, then audits the money. */
async function compare(world: World): Promise<void> {
  const found: Record<string, unknown> = {}
  for (const [date, { transactionId, bankAccountId }] of await read(world)) {
    const request = { bankAccountId, transactionId, includesProvenance: true }
    const { transaction: one } = await world.fed.transactions.getTransaction(request, world.fed.as)
    const by = new Map(one?.provenance.map(({ field, ...of }) => [field, of.ruleId ?? of.by]))
    const held = fields.map((field) => {
      const refunded = field === 'spendingId' ? one?.refundSpendingId : undefined
      const value = one?.[field] ?? refunded
      return [field, { value: value ?? null, by: by.get(field) ?? 'provider' }]
    })
    found[date] = Object.fromEntries(held)
  }
  expect(found).toEqual(Object.fromEntries(live(world).map((row) => [row.date, row.fields])))
  expect(await auditLedger(booted.database('ledger'))).toEqual([])
}

test.each([
  ['feed', true],
  ['aggregator', false],
])('rules, syncs, files, edits, runs and undos agree with the model (%s)', async (_, isFeed) => {
  const history = fc.array(choice, { minLength: 25, maxLength: 40, size: 'max' })
  const property = fc.asyncProperty(history, async (choices) => {
    const world = await createWorld(booted, isFeed)
    for (const [pick, word] of words.entries()) {
      const of = { field: 'name' as const, some: [...fields], isRefund: false, pick, word }
      await operations.bring(world, { ...of, kind: 'bring', isPending: true })
      await operations.rule(world, { ...of, kind: 'rule', isPending: undefined })
    }
    const [first] = choices
    if (first) {
      await operations.joinAndSeparate(world, first)
      await compare(world)
      await operations.runAndPost(world, first)
    }
    await compare(world)
    for (const one of choices) {
      await operations[one.kind](world, one)
      await compare(world)
    }
    if (world.rules.length === 0) return
    await runOnce(world, world.rules)
    expect(await runOnce(world, world.rules)).toEqual({ changedCount: 0n })
    await compare(world)
  })
  await fc.assert(property, { numRuns: sampleSize(2), endOnFailure: true })
})
