import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { configQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Amount } from '../../controls/amount.tsx'
import { Asked } from '../../controls/asked.tsx'
import { Button } from '../../controls/button.tsx'
import { CheckField, ChoiceField, TextField } from '../../controls/field.tsx'
import { FaultBanner, Form } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card, Screen } from '../../controls/screen.tsx'
import { useReader } from '../../shell/chosen-account.ts'
import { accountWords as words } from '../../words/accounts.ts'

type Body = Parameters<typeof coffer.createFeedLink>[0]['body']

/** Connects a feed of bank data: its address and key, then the choice of bank accounts. */
export function FeedLink() {
  const [feedLinkId, setFeedLinkId] = useState<string | null>(null)
  return (
    <Screen title={words.byFeed} isNarrow>
      <Card>
        {feedLinkId === null ? (
          <Connect onConnected={setFeedLinkId} />
        ) : (
          <Candidates feedLinkId={feedLinkId} />
        )}
      </Card>
    </Screen>
  )
}

function Connect({ onConnected }: { onConnected: (feedLinkId: string) => void }) {
  const { data: config } = useQuery(configQuery)
  const { send, isSending, fault } = useChange(async (body: Body) => {
    const { feedLinkId } = (await coffer.createFeedLink({ body })).data
    await coffer.refreshFeedBankAccounts({ path: { feedLinkId } })
    return feedLinkId
  })
  const urls = config?.feedAllowedAPIURLs ?? []
  if (config && urls.length === 0) return <p>{words.feedNone}</p>
  return (
    <Form
      action={words.connect}
      isSending={isSending}
      fault={fault}
      onSubmit={(values) => send(values as unknown as Body, onConnected)}
    >
      <TextField label={words.feedName} name="name" fault={fault?.problems.name} />
      <ChoiceField
        label={words.feedUrl}
        name="feedURL"
        options={urls.map((value) => ({ value, text: value }))}
        fault={fault?.problems.feedURL}
      />
      <TextField
        label={words.feedKey}
        name="apiKey"
        type="password"
        autoComplete="off"
        fault={fault?.problems.apiKey}
      />
    </Form>
  )
}

function Candidates({ feedLinkId }: { feedLinkId: string }) {
  const { locale } = useReader()
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<string[]>([])
  const path = { feedLinkId }
  const found = useQuery({
    queryKey: ['candidates', feedLinkId],
    queryFn: async ({ signal }) => (await coffer.listFeedBankAccounts({ path, signal })).data,
  })
  const look = useChange(() => coffer.refreshFeedBankAccounts({ path }))
  const { send, isSending, fault } = useChange(async () => {
    const wanted = found.data?.filter((one) => chosen.includes(one.feedBankAccountId)) ?? []
    const institutionName = wanted[0]?.institutionName || words.kinds.feed
    const link = (await coffer.createLink({ body: { institutionName, feedLinkId } })).data
    const created: string[] = []
    for (const { feedBankAccountId, name } of wanted) {
      const body = { linkId: link.linkId, name, feedBankAccountId }
      created.push((await coffer.createBankAccount({ body })).data.bankAccountId)
    }
    return created[0]
  })
  const toggle = (id: string, isChosen: boolean) =>
    setChosen((now) => (isChosen ? [...now, id] : now.filter((one) => one !== id)))
  const shownFault = fault ?? look.fault
  return (
    <>
      <h2>{words.candidates}</h2>
      {shownFault && <FaultBanner fault={shownFault} />}
      <Asked query={found}>
        {(all) => (
          <>
            {all.length === 0 && <p>{words.candidatesNone}</p>}
            {all.map(({ feedBankAccountId: id, name, institutionName, currency, ...one }) => (
              <div key={id} className={rows.row}>
                <CheckField
                  label={`${institutionName}: ${name}`}
                  checked={chosen.includes(id)}
                  onChange={(event) => toggle(id, event.target.checked)}
                />
                <Amount amount={one.currentBalance} manner={{ locale, currency }} />
              </div>
            ))}
          </>
        )}
      </Asked>
      <div className={rows.toolbar}>
        {chosen.length > 0 && (
          <Button
            kind="primary"
            isBusy={isSending}
            onClick={() =>
              send(
                undefined,
                (account) => void navigate({ to: '/setup/plan', search: { account } }),
              )
            }
          >
            {words.take}
          </Button>
        )}
        <Button isBusy={look.isSending} onClick={() => look.send(undefined)}>
          {words.look}
        </Button>
      </div>
    </>
  )
}
