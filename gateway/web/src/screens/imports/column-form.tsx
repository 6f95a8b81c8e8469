import { useQuery } from '@tanstack/react-query'
import { type RefObject, useState } from 'react'
import { bankAccountsQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { type Import, mappingQuery } from '../../api/import-queries.ts'
import { ChoiceField, TextField } from '../../controls/field.tsx'
import { FaultBanner, Form } from '../../controls/form.tsx'
import { Card } from '../../controls/screen.tsx'
import { isDebt } from '../../format/debts.ts'
import { useReader } from '../../shell/chosen-account.ts'
import { importWords as words } from '../../words/imports.ts'
import { type Evidence, findMisfit } from './columns/cells.ts'
import { guessColumns, withAmount } from './columns/column-guess.ts'
import {
  type Columns,
  type Draft,
  findOpen,
  listFormats,
  mappedMax,
  mappingOf,
  writeExample,
} from './columns/column-mapping.ts'
import { FirstRows, shownRows } from './first-rows.tsx'
import { KnownColumns } from './fit/known-columns.tsx'
import styles from './imports.module.css'
import { type Choices, ReadChoices } from './read-choices.tsx'
import { SheetChoice } from './sheet-choice.tsx'

/** Form to map the columns of a CSV file; offers the last mapping of the same columns. */
export function ColumnForm({ found, draft }: { found: Import; draft: RefObject<Draft> }) {
  const { bankAccountId, transactionImportId, headers, reading } = found
  const { locale } = useReader()
  const { data: known } = useQuery(mappingQuery(found, mappedMax))
  const evidence = useEvidence(found)
  const [columns, setColumns] = useState(
    () => draft.current.columns ?? guessColumns(headers, locale, evidence),
  )
  const [areAsked, setAsked] = useState(false)
  const open = areAsked ? findOpen(columns) : []
  const path = { bankAccountId, transactionImportId }
  const { send, isSending, fault } = useChange(async (mappingId: string | null) => {
    const body = { mapping: mappingOf(columns, headers) }
    const made = mappingId ?? (await coffer.createMapping({ body })).data.transactionImportMappingId
    if (mappingId === null) draft.current = { columns, mappingId: made }
    const step = { transactionImportMappingId: made, status: 'pending-preview' } as const
    return await coffer.updateImport({ path, body: step })
  })
  const rows = reading?.rows ?? []
  const dates = rows
    .slice(0, shownRows)
    .map(({ cells }) => cells[headers.indexOf(columns.date)] ?? '')
  const change = (next: Partial<Columns>) =>
    setColumns((now) =>
      next.amount ? withAmount(now, next.amount, { headers, evidence }) : { ...now, ...next },
    )
  const part = { headers, columns, change, open }
  const preview = () => {
    setAsked(true)
    if (findOpen(columns).length === 0) send(null)
  }
  return (
    <>
      {known && (
        <KnownColumns
          known={known}
          isSending={isSending}
          fault={fault}
          onUse={() => send(known.transactionImportMappingId)}
        />
      )}
      <Card title={words.columns}>
        <p className={styles.soft}>{words.mapText}</p>
        <SheetChoice found={found} />
        <ReadAgain found={found} />
        <FirstRows headers={headers} rows={rows} />
        <Form
          action={words.preview}
          isSending={isSending}
          fault={fault}
          problems={Object.fromEntries(open.map((field) => [field, words.open]))}
          onSubmit={preview}
        >
          <div className={styles.pair}>
            <Texts {...part} dates={dates} evidence={evidence} />
          </div>
          <Amounts {...part} />
          <Column {...part} label={words.id} hint={words.idHint} name="id" isOptional />
        </Form>
      </Card>
    </>
  )
}

/** Returns evidence for the guess of columns: what the server detected, and the bank account. */
function useEvidence({ bankAccountId, reading }: Import): Evidence {
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const account = accounts.find((one) => one.bankAccountId === bankAccountId)
  return {
    dateFormat: reading?.dateFormat ?? undefined,
    isDayOpen:
      reading?.reasons.some(({ codedReason }) => codedReason?.code === 'DAYS_OPEN') ?? false,
    rows: reading?.rows,
    currency: account?.currency,
    isDebt: account !== undefined && isDebt(account),
  }
}

/** Shows encoding and delimiter of the file; if one is changed, the server reads it again. */
function ReadAgain({ found }: { found: Import }) {
  const { bankAccountId, transactionImportId, reading } = found
  const path = { bankAccountId, transactionImportId }
  const { send, fault } = useChange(({ encoding, delimiter }: Choices) => {
    const body = { ...(encoding ? { encoding } : {}), ...(delimiter ? { delimiter } : {}) }
    return coffer.updateImport({ path, body })
  })
  if (!reading) return null
  const { encoding, delimiter, reasons, sheet } = reading
  // A sheet is converted to text with tabs: it has no encoding or delimiter to choose.
  const read = sheet ? [] : Object.entries({ encoding, delimiter })
  const made = read.map(([choice, value]) => {
    const { reason = '', codedReason } = reasons.find((one) => one.choice === choice) ?? {}
    return { choice, value, reason, codedReason }
  })
  return (
    <>
      {fault && <FaultBanner fault={fault} />}
      <ReadChoices made={made} onChange={(choice) => send(choice)} />
    </>
  )
}

interface PartProps {
  headers: string[]
  columns: Columns
  change: (next: Partial<Columns>) => void
  /** The fields that the user must decide before the preview. */
  open: readonly (keyof Columns)[]
}

interface ColumnProps extends PartProps {
  label: string
  name: keyof Columns
  hint?: string
  isOptional?: boolean
}

function Column({ label, name, hint, isOptional = false, ...part }: ColumnProps) {
  const { headers, columns, change, open } = part
  const value = String(columns[name])
  const options = headers.map((one) => ({ value: one, text: one }))
  const none = { value: '', text: isOptional ? words.nothing : words.pleaseChoose }
  return (
    <ChoiceField
      label={label}
      hint={hint}
      fault={open.includes(name) ? words.open : null}
      value={value}
      options={isOptional || value === '' ? [none, ...options] : options}
      onChange={(chosen) => change({ [name]: chosen })}
    />
  )
}

function Texts({ dates, evidence, ...part }: PartProps & { dates: string[]; evidence: Evidence }) {
  const { columns, change, open } = part
  const { format } = columns
  const { dateFormat: found = format, isDayOpen } = evidence
  const misfit = format === '' ? null : findMisfit(dates, format)
  const options = [...new Set([...(format === '' ? [] : [format]), ...listFormats(found)])].map(
    (value) => ({
      value,
      text: words.formatOf({ example: writeExample(value), format: value }),
    }),
  )
  const none = { value: '', text: words.pleaseChoose }
  return (
    <>
      <Column {...part} label={words.date} name="date" />
      <ChoiceField
        label={words.format}
        hint={isDayOpen ? words.formatOpen : undefined}
        fault={open.includes('format') ? words.open : misfit && words.misfit({ text: misfit })}
        value={format}
        options={format === '' ? [none, ...options] : options}
        onChange={(format) => change({ format })}
      />
      <Column {...part} label={words.memo} name="memo" />
      <Column {...part} label={words.merchant} name="merchant" isOptional />
      <Column {...part} label={words.balance} name="balance" isOptional />
    </>
  )
}

function Amounts(part: PartProps) {
  const { columns, change } = part
  const { amountKind } = columns
  return (
    <>
      <ChoiceField
        label={words.amountKind}
        value={amountKind}
        options={Object.entries(words.amountKinds).map(([value, text]) => ({ value, text }))}
        onChange={(value) => change({ amountKind: value as Columns['amountKind'] })}
      />
      <div className={styles.pair}>
        {amountKind !== 'column' && <Column {...part} label={words.amount} name="amount" />}
        {amountKind === 'sign' && <Direction {...part} />}
        {amountKind === 'column' && <Column {...part} label={words.debits} name="debits" />}
        {amountKind === 'column' && <Column {...part} label={words.credits} name="credits" />}
        {amountKind === 'type' && <Column {...part} label={words.direction} name="direction" />}
        {amountKind === 'type' && <Word {...part} label={words.debitWord} name="debitWord" />}
        {amountKind === 'type' && <Word {...part} label={words.creditWord} name="creditWord" />}
      </div>
    </>
  )
}

/** Asks whether amounts without a minus leave the account; no default if the file is unclear. */
function Direction({ columns, change, open }: PartProps) {
  const options = Object.entries(words.plainAmounts).map(([value, text]) => ({ value, text }))
  const none = { value: '', text: words.pleaseChoose }
  return (
    <ChoiceField
      label={words.plain}
      hint={words.plainHint}
      fault={open.includes('out') ? words.open : null}
      value={columns.out}
      options={columns.out === '' ? [none, ...options] : options}
      onChange={(value) => change({ out: value as Columns['out'] })}
    />
  )
}

function Word({ label, name, columns, change, open }: ColumnProps) {
  return (
    <TextField
      label={label}
      fault={open.includes(name) ? words.open : null}
      value={columns[name]}
      onChange={(event) => change({ [name]: event.target.value })}
    />
  )
}
