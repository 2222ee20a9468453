/** What a program needs to reach this account. */
export interface ProgramValues {
  relayerUrl: string;
  accountId: string;
  packageId: string;
}

export type ProgramLanguage = 'typescript' | 'python' | 'curl';

/** By its own name in every language of the page */
export const programLanguages: Readonly<Record<ProgramLanguage, string>> = {
  typescript: 'TypeScript',
  python: 'Python',
  curl: 'curl',
};

/** A program that stores and recalls one text; curl only stores, because a recall takes a decrypt credential. */
export function programSnippet(language: ProgramLanguage, values: ProgramValues): string {
  return { typescript, python, curl }[language](values);
}

const typescript = ({ relayerUrl, accountId, packageId }: ProgramValues): string =>
  `import { MemRelay } from '@memrelay/sdk';

const memory = MemRelay.create({
  key: process.env.MEM_DELEGATE_KEY!,
  accountId: '${accountId}',
  serverUrl: '${relayerUrl}',
  packageId: '${packageId}',
});
await memory.rememberAndWait('Ana likes her tea with lemon.');
const { results } = await memory.recall('what does Ana drink?');
for (const { text } of results) process.stdout.write(\`\${text}\\n\`);
memory.destroy();`;

const python = ({ relayerUrl, accountId, packageId }: ProgramValues): string =>
  `import os

from memrelay import MemRelay

with MemRelay(
    key=os.environ["MEM_DELEGATE_KEY"],
    account_id="${accountId}",
    server_url="${relayerUrl}",
    package_id="${packageId}",
) as mem:
    mem.remember_and_wait("Ana likes her tea with lemon.")
    for hit in mem.recall("what does Ana drink?").results:
        print(hit.text)`;

/** The signed text is in docs/connect-an-app.md; the PEM file is the key in PKCS #8. For bash and OpenSSL 3. */
const curl = ({ relayerUrl, accountId }: ProgramValues): string =>
  `account=${accountId}
body='{"text":"Ana likes her tea with lemon."}'
files=$(mktemp -d)
printf "$(printf '302e020100300506032b657004220420%s' "$MEM_DELEGATE_KEY" | sed 's/../\\\\x&/g')" |
  openssl pkey -inform DER -out "$files/key.pem"
hex() { od -An -v -tx1 | tr -d ' \\n'; }
time=$(date +%s)
nonce=$(openssl rand -hex 16 | sed -E 's/(.{8})(.{4}).(.{3}).(.{3})(.{12})/\\1-\\2-4\\3-a\\4-\\5/')
hash=$(printf %s "$body" | openssl dgst -sha256 -binary | hex)
printf %s "$time.POST./api/remember.$hash.$nonce.$account" > "$files/text"
curl ${relayerUrl}/api/remember --data "$body" \\
  -H 'content-type: application/json' \\
  -H "x-account-id: $account" -H "x-timestamp: $time" -H "x-nonce: $nonce" \\
  -H "x-public-key: $(openssl pkey -in "$files/key.pem" -pubout -outform DER | tail -c 32 | hex)" \\
  -H "x-signature: $(openssl pkeyutl -sign -rawin -inkey "$files/key.pem" -in "$files/text" | hex)"
rm -r "$files"`;
