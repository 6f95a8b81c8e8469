import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { bankAccountsQuery } from '../../api/account-queries.ts'
import { type FundingSchedule, schedulesQuery } from '../../api/budget-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { Asked } from '../../controls/asked.tsx'
import { Button } from '../../controls/button.tsx'
import rows from '../../controls/rows.module.css'
import { Card, Empty, Screen } from '../../controls/screen.tsx'
import { dayOf, formatDay, formatDistance } from '../../format/days.ts'
import { useChosenAccountId, useManner, useReader } from '../../shell/chosen-account.ts'
import { useOpenedForm } from '../../shell/opened-form.ts'
import { scheduleWords as words } from '../../words/schedules.ts'
import { PaydayEnvelopes } from './payday-envelopes.tsx'
import { RemoveSchedule } from './remove-schedule.tsx'
import { ScheduleForm } from './schedule-form.tsx'
import { paceOf } from './schedule-pace.ts'

/** The paydays of the chosen bank account, and the envelopes that each fills. */
export function Schedules() {
  const accounts = useQuery(bankAccountsQuery)
  const chosen = useChosenAccountId()
  return (
    <Asked query={accounts} lines={8}>
      {() => (chosen === null ? <Navigate to="/setup" /> : <List bankAccountId={chosen} />)}
    </Asked>
  )
}

function List({ bankAccountId }: { bankAccountId: string }) {
  const schedules = useQuery(schedulesQuery(bankAccountId))
  const [isCreating, setCreating] = useOpenedForm('payday')
  const create = (
    <Button kind="primary" onClick={() => setCreating(true)}>
      <Plus size={18} aria-hidden />
      {words.create}
    </Button>
  )
  return (
    <Screen title={words.title} actions={create} help="paydays" isNarrow>
      <Asked query={schedules} lines={6}>
        {(all) =>
          all.length === 0 ? (
            <Empty>{words.none}</Empty>
          ) : (
            all.map((one) => <Payday key={one.fundingScheduleId} schedule={one} />)
          )
        }
      </Asked>
      {isCreating && (
        <ScheduleForm bankAccountId={bankAccountId} onClose={() => setCreating(false)} />
      )}
    </Screen>
  )
}

function Payday({ schedule }: { schedule: FundingSchedule }) {
  const { bankAccountId, name, ruleset, nextRecurrence } = schedule
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null)
  const close = () => setOpen(null)
  const day = dayOf(nextRecurrence, reader.timezone)
  const pace = paceOf(ruleset)
  return (
    <Card title={name} aside={<span className={rows.soft}>{formatDistance(day, reader)}</span>}>
      <p>
        {formatDay(day, reader)}, {pace === null ? words.other : words.repeatsEvery[pace]}
      </p>
      <PaydayEnvelopes schedule={schedule} />
      {schedule.estimatedDeposit !== null && (
        <p className={rows.soft}>
          {words.expects} <Amount amount={schedule.estimatedDeposit} manner={manner} />
          {schedule.autoCreateTransaction && ` · ${words.isAutomatic}`}
        </p>
      )}
      <div className={rows.toolbar}>
        <Button data-line aria-label={words.editTitle({ name })} onClick={() => setOpen('edit')}>
          {words.edit}
        </Button>
        <Button
          kind="danger"
          aria-label={words.removeTitle({ name })}
          onClick={() => setOpen('remove')}
        >
          {words.remove}
        </Button>
      </div>
      {open === 'edit' && (
        <ScheduleForm bankAccountId={bankAccountId} schedule={schedule} onClose={close} />
      )}
      {open === 'remove' && <RemoveSchedule schedule={schedule} onClose={close} />}
    </Card>
  )
}
