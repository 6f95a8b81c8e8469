import { useQuery } from '@tanstack/react-query'
import { type RefObject, useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { type Import, mappingQuery } from '../../api/import-queries.ts'
import { CheckField, ChoiceField, TextField } from '../../controls/field.tsx'
import { FaultBanner, Form } from '../../controls/form.tsx'
import { Card } from '../../controls/screen.tsx'
import { useReader } from '../../shell/chosen-account.ts'
import { importWords as words } from '../../words/imports.ts'
import {
  type Columns,
  type Draft,
  dayFormats,
  findMisfit,
  guessColumns,
  mappingOf,
  writeExample,
} from './column-guess.ts'
import { FirstRows } from './first-rows.tsx'
import { KnownColumns } from './fit/known-columns.tsx'
import styles from './imports.module.css'
import { type Choices, ReadChoices } from './read-choices.tsx'
import { SheetChoice } from './sheet-choice.tsx'

/** Asks what the columns of a CSV file mean, or reads it as the last one with these columns. */
export function ColumnForm({ found, draft }: { found: Import; draft: RefObject<Draft> }) {
  const { bankAccountId, transactionImportId, headers, signature, reading } = found
  const { locale } = useReader()
  const { data: known } = useQuery(mappingQuery(signature))
  const [columns, setColumns] = useState(
    () =>
      draft.current.columns ??
      guessColumns(headers, locale, {
        dateFormat: reading?.dateFormat ?? undefined,
        rows: reading?.rows ?? [],
      }),
  )
  const path = { bankAccountId, transactionImportId }
  const { send, isSending, fault } = useChange(async (mappingId: string | null) => {
    const body = { mapping: mappingOf(columns, headers) }
    const made = mappingId ?? (await coffer.createMapping({ body })).data.transactionImportMappingId
    if (mappingId === null) draft.current = { columns, mappingId: made }
    const step = { transactionImportMappingId: made, status: 'pending-preview' } as const
    return await coffer.updateImport({ path, body: step })
  })
  const rows = reading?.rows ?? []
  const dates = rows.map(({ cells }) => cells[headers.indexOf(columns.date)] ?? '')
  const change = (next: Partial<Columns>) => setColumns((now) => ({ ...now, ...next }))
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
          onSubmit={() => send(null)}
        >
          <div className={styles.pair}>
            <Texts {...{ headers, columns, change, dates }} />
          </div>
          <Amounts headers={headers} columns={columns} change={change} />
          <Column
            {...{ headers, columns, change }}
            label={words.id}
            hint={words.idHint}
            name="id"
            isOptional
          />
        </Form>
      </Card>
    </>
  )
}

/** How the file is read; another choice reads it again. */
function ReadAgain({ found }: { found: Import }) {
  const { bankAccountId, transactionImportId, reading } = found
  const path = { bankAccountId, transactionImportId }
  const { send, fault } = useChange(({ encoding, delimiter }: Choices) => {
    const body = { ...(encoding ? { encoding } : {}), ...(delimiter ? { delimiter } : {}) }
    return coffer.updateImport({ path, body })
  })
  if (!reading) return null
  const { encoding, delimiter, reasons, sheet } = reading
  // A sheet has become text with tabs: there is nothing to choose.
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
}

interface ColumnProps extends PartProps {
  label: string
  name: keyof Columns
  hint?: string
  isOptional?: boolean
}

function Column({ label, name, hint, headers, columns, change, isOptional }: ColumnProps) {
  const options = headers.map((value) => ({ value, text: value }))
  return (
    <ChoiceField
      label={label}
      hint={hint}
      value={String(columns[name])}
      options={isOptional ? [{ value: '', text: words.nothing }, ...options] : options}
      onChange={(value) => change({ [name]: value })}
    />
  )
}

function Texts({ dates, ...part }: PartProps & { dates: string[] }) {
  const { columns, change } = part
  const misfit = findMisfit(dates, columns.format)
  return (
    <>
      <Column {...part} label={words.date} name="date" />
      <ChoiceField
        label={words.format}
        fault={misfit && words.misfit({ text: misfit })}
        value={columns.format}
        options={[...new Set([columns.format, ...dayFormats])].map((value) => ({
          value,
          text: words.formatOf({ example: writeExample(value), format: value }),
        }))}
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
        onChange={(value) => {
          const kind = value as Columns['amountKind']
          change({ amountKind: kind, invert: kind === 'sign' })
        }}
      />
      <div className={styles.pair}>
        {amountKind !== 'column' && <Column {...part} label={words.amount} name="amount" />}
        {amountKind === 'column' && <Column {...part} label={words.debits} name="debits" />}
        {amountKind === 'column' && <Column {...part} label={words.credits} name="credits" />}
        {amountKind === 'type' && <Column {...part} label={words.direction} name="direction" />}
        {amountKind === 'type' && (
          <>
            <TextField
              label={words.debitWord}
              value={columns.debitWord}
              onChange={(event) => change({ debitWord: event.target.value })}
            />
            <TextField
              label={words.creditWord}
              value={columns.creditWord}
              onChange={(event) => change({ creditWord: event.target.value })}
            />
          </>
        )}
      </div>
      <CheckField
        label={amountKind === 'sign' ? words.invert : words.swap}
        checked={columns.invert}
        onChange={(event) => change({ invert: event.target.checked })}
      />
    </>
  )
}
