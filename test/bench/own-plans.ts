import { newPerson, type Person } from '../harness/person.ts'
import { loadDueAccounts } from './hourly/due-accounts.ts'
import { runHourlyJob } from './hourly/hourly-job.ts'
import { repeats, type Work } from './timing.ts'

const envelopes = 50
const dueAccounts = 200
const dayMs = 86_400_000
const monthly = 'DTSTART:20250101T000000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY='

/** Returns work to measure: requests about plans beside fifty expenses, and the hourly job. */
export async function planWork(
  person: Person,
  { databaseUrl, temporalAddress }: { databaseUrl: string; temporalAddress: string },
): Promise<Work[]> {
  return [
    ...(await householdWork(person)),
    {
      work: `The hourly job, ${dueAccounts} bank accounts due`,
      times: repeats.long,
      prepare: (repetition) =>
        loadDueAccounts(databaseUrl, { after: repetition * dueAccounts, count: dueAccounts }),
      run: () => runHourlyJob(temporalAddress),
    },
  ]
}

/** Registers a person whose timezone is UTC. */
export function newPlanner(baseUrl: string): Promise<Person> {
  return newPerson(baseUrl, { timezone: 'UTC' })
}

async function householdWork(person: Person): Promise<Work[]> {
  const { path } = await person.createBankAccount()
  const schedules = `${path}/funding_schedules`
  const pay = { name: 'Pay', ruleset: `${monthly}15,-1` }
  const { fundingScheduleId } = await person.post(schedules, pay)
  const addExpense = (name: string, day: number) =>
    person.post(`${path}/spending`, {
      spendingType: 'expense',
      name,
      fundingScheduleId,
      targetAmount: 100_000,
      ruleset: `${monthly}${day}`,
      nextRecurrence: midnight(day),
    })
  for (let index = 0; index < envelopes; index += 1) {
    await addExpense(`Expense ${index}`, 1 + (index % 28))
  }
  const changed = `PATCH a funding schedule of ${envelopes} envelopes`
  return [
    {
      work: changed,
      times: repeats.write,
      run: (repetition) => {
        const ruleset = `${monthly}${repetition % 2 === 0 ? '1,15' : '15,-1'}`
        return person.patch(`${schedules}/${fundingScheduleId}`, { ruleset })
      },
    },
    forecastOf(person, { path, days: 90 }),
    forecastOf(person, { path, days: 365 }),
    {
      work: `POST spending, an expense beside ${envelopes}`,
      times: repeats.write,
      run: (repetition) => addExpense(`Another ${repetition}`, 1 + (repetition % 28)),
    },
  ]
}

function forecastOf(person: Person, { path, days }: { path: string; days: number }): Work {
  const end = new Date(Date.now() + days * dayMs).toISOString()
  return {
    work: `GET forecast, ${days} days of ${envelopes} envelopes`,
    times: repeats.write,
    run: () => person.get(`${path}/forecast?end=${end}`),
  }
}

/** Returns the next midnight (UTC) of this day of a month, as text of RFC 3339. */
function midnight(day: number): string {
  const now = new Date()
  const month = now.getUTCMonth() + (day > now.getUTCDate() ? 0 : 1)
  return new Date(Date.UTC(now.getUTCFullYear(), month, day)).toISOString()
}
