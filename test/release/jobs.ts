import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@coffer/host/testing/boot'
import { newId } from '@coffer/kit/values/id'
import { type Json, newPerson, type Person } from '../harness/person.ts'
import { linkFeed } from '../providers/linked-feed.ts'
import { feedAccount, type LunchFlow } from '../providers/lunch-flow.ts'
import { createClient, type Outcome } from '../replicas/client.ts'

/** Uploads and feed syncs of one person, each of which runs as a workflow. */
export interface Jobs {
  /** Starts several uploads and a feed sync at once: their workflows run when it resolves. */
  burst: () => Promise<void>
  /** Stops the uploads; returns the outcomes of their requests. */
  stop: () => Promise<Outcome[]>
  /** Waits until all jobs are done; returns the numbers of their transactions. */
  finish: () => Promise<{ seen: Counts; expected: Counts }>
}

interface Counts {
  uploaded: number
  synced: number
}

const burstSize = 4
const pauseMs = 400
const finishMs = 60_000

/** Uploads files for a new person until stopped. Each has a transaction of its own. */
export async function startJobs(baseUrl: string, feed: LunchFlow): Promise<Jobs> {
  const person = await newPerson(baseUrl)
  const { path } = await person.createBankAccount(0)
  const client = createClient(baseUrl)
  const stopping = new AbortController()
  const uploads: string[] = []
  const linked: string[] = []
  const headers = { authorization: person.authorization }
  const to = `${path}/transactions/upload`
  const upload = async () => {
    const sent = { route: 'POST upload', method: 'POST', path: to, form: qifForm(), headers }
    const { status, body } = await client.send({ ...sent, key: newId('key') })
    if (status === 200) uploads.push(body.transactionUploadId)
  }
  // Few at once: an account has at most 10 uploads that are not complete.
  const uploadAndWait = async () => {
    await upload()
    const sent = { route: 'GET upload', method: 'GET', path: `${to}/${uploads.at(-1)}`, headers }
    let isDone = false
    while (!isDone && !stopping.signal.aborted) {
      await sleep(pauseMs)
      isDone = (await client.send(sent)).body?.status === 'complete'
    }
  }
  // A link of its own for each sync: a link is synced on request once in 30 minutes.
  const link = async () => {
    const id = String(feed.accounts.length + 1)
    feed.accounts.push(feedAccount(id))
    const date = new Date().toISOString().slice(0, 10)
    feed.bank(id).post({ date, amount: '-1', merchant: 'Tea' })
    const { linkId, bankAccountId } = await linkFeed(person, feed, id)
    await person.post('/feed/link/sync', { linkId })
    linked.push(bankAccountId)
  }
  const run = async () => {
    while (!stopping.signal.aborted) await uploadAndWait()
  }
  const running = run()
  return {
    burst: async () => {
      await Promise.all([...Array.from({ length: burstSize }, upload), link()])
    },
    stop: async () => {
      stopping.abort()
      await running
      client[Symbol.dispose]()
      return client.outcomes
    },
    finish: async () => {
      for (const id of uploads) {
        const isDone = ({ status }: Json) => status === 'complete'
        await eventually(() => person.get(`${to}/${id}`), isDone, finishMs)
      }
      let synced = 0
      for (const id of linked) {
        const count = () => countRows(person, `/bank_accounts/${id}`)
        synced += await eventually(count, (found) => found > 0, finishMs)
      }
      const uploaded = await countRows(person, path)
      const expected = { uploaded: uploads.length, synced: linked.length }
      return { seen: { uploaded, synced }, expected }
    },
  }
}

/** Returns a form with a QIF file of one transaction, with a payee of its own. */
function qifForm(): FormData {
  const rows = ['!Type:Bank', 'D01/15/2026', 'T-12.50', `P${newId('payee')}`, '^', '']
  const form = new FormData()
  form.set('data', new Blob([rows.join('\n')]), 'bank.qif')
  return form
}

const pageSize = 100

/** Returns the number of transactions of a bank account. */
async function countRows(person: Person, path: string): Promise<number> {
  let count = 0
  for (;;) {
    const page = await person.get(`${path}/transactions?limit=${pageSize}&offset=${count}`)
    count += page.length
    if (page.length < pageSize) return count
  }
}
