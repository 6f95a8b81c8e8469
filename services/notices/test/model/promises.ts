import { dayMs } from '@coffer/kit/values/time'
import { Webhook as Library } from 'standardwebhooks'
import type { Received } from '../../testing/webhook-receiver.ts'

/** A change of an object, and how the receiver has answered it. */
interface Told {
  changeId: string
  objectId: string
  /** The instant since which it is owed. */
  owedSince: number
  /** Number of answers of 2xx; the number that is owed, 0 if nothing is. */
  accepted: number
  owed: number
}

/** A secret of the webhook, and when it ends. */
interface Secret {
  text: string
  endsAt: number
}

/** The model of a webhook: the promises of docs/changes/own-webhooks.md, without its rules. */
export interface Promises {
  /** Changes were appended to the feed; they are owed while the webhook is on. */
  append: (changes: { changeId: string; objectId: string }[], isOn: boolean) => void
  /** A request arrived, and is answered by 2xx or not. Throws if it breaks a promise. */
  arrive: (request: Received, isAccepted: boolean) => void
  rotate: (secret: string, formerEndsAt: number) => void
  /** A run begins: it may use the secrets that are valid now. */
  begin: () => void
  switchOff: () => void
  /** This change is owed once more; with `isAll` those behind it, too. */
  resend: (changeId: string, isAll: boolean) => void
  /** IDs of the changes in the order of the feed. */
  ids: () => string[]
  /** IDs of the changes that are owed and younger than three days. */
  missing: () => string[]
}

export function createPromises(first: string, now: () => number): Promises {
  const told: Told[] = []
  let secrets: Secret[] = [{ text: first, endsAt: Number.POSITIVE_INFINITY }]
  let usable = secrets
  const isMissing = ({ accepted, owed }: Told) => accepted < owed
  const isYoung = ({ owedSince }: Told) => now() - owedSince < 3 * dayMs
  const check = ({ id, body, headers, data }: Received): Told => {
    const at = new Date(Number(headers['webhook-timestamp']) * 1000)
    const signatures = headers['webhook-signature']?.split(' ') ?? []
    const valid = usable.map(({ text }) => new Library(text).sign(id, at, body))
    if (!signatures.every((one) => valid.includes(one))) throw new Error(`${id}: a wrong signature`)
    const change = told.find(({ changeId }) => changeId === id)
    if (change?.objectId !== data.objectId) throw new Error(`${id} is no change of the feed`)
    const before = told.slice(0, told.indexOf(change))
    const left = before.find((one) => one.objectId === change.objectId && isMissing(one))
    if (left && left.accepted === 0 && isYoung(left)) {
      throw new Error(`${id} came before ${left.changeId} of its object`)
    }
    return change
  }
  return {
    append: (changes, isOn) => {
      for (const one of changes) {
        told.push({ ...one, owedSince: now(), accepted: 0, owed: isOn ? 1 : 0 })
      }
    },
    arrive: (request, isAccepted) => {
      const change = check(request)
      if (isAccepted) change.accepted += 1
    },
    rotate: (text, formerEndsAt) => {
      const valid = secrets.filter(({ endsAt }) => endsAt > now())
      const former = [...new Set([...valid.slice(0, 1), ...valid.slice(-1)])].map((one) => {
        return { ...one, endsAt: Math.min(one.endsAt, formerEndsAt) }
      })
      secrets = [{ text, endsAt: Number.POSITIVE_INFINITY }, ...former]
    },
    begin: () => {
      secrets = secrets.filter(({ endsAt }) => endsAt > now())
      usable = secrets
    },
    switchOff: () => {
      for (const one of told.filter(isMissing)) one.owed = one.accepted
    },
    resend: (changeId, isAll) => {
      const from = told.findIndex((one) => one.changeId === changeId)
      for (const one of told.slice(from, isAll ? undefined : from + 1)) {
        Object.assign(one, { owed: one.accepted + 1, owedSince: now() })
      }
    },
    ids: () => told.map(({ changeId }) => changeId),
    missing: () => told.filter((one) => isMissing(one) && isYoung(one)).map((one) => one.changeId),
  }
}
