import type { ConnectTexts } from './en.ts';

export const connectJa: ConnectTexts = {
  'nav.connect': '接続',
  'connect.title': 'エージェントやプログラムを接続',
  'connect.about':
    'ここにある値はすべてあなたのアカウントとリレイヤーのものです。コピーして、下の確認をご覧ください。',
  'connect.check.waiting': 'サインインか新しい記憶を待っています…',
  'connect.check.waiting.about':
    'エージェントに何かを覚えさせるか、プログラムを実行してください。読み取りだけではここに表示されません。',
  'connect.check.key': '接続済み: {name} がサインインしました',
  'connect.check.memory': '接続済み: {namespace} に新しい記憶があります',
  'connect.check.done.about': '{time}に届きました。',
  'connect.agent': 'エージェント',
  'connect.agent.host': 'エージェントのホスト',
  'connect.agent.install': '次のコマンドが、確認のうえ設定を書き込みます:',
  'connect.agent.file': 'または {file} に自分で追加します:',
  'connect.agent.remote':
    'または HTTP で接続します。コンピューターにプロセスは不要で、ホストがブラウザーでサインインします:',
  'connect.agent.docs': '{host} のツールサーバーについて',
  'connect.program': 'プログラム',
  'connect.program.language': 'プログラミング言語',
  'connect.program.key':
    'まずプログラム用のキーを作ります。ファイルの delegatePrivateKey は秘密です。MEM_DELEGATE_KEY で渡してください。',
};
