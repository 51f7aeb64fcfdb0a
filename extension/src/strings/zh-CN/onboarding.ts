/** Simplified Chinese: the page shown after installing. */
import type { onboarding as en } from '../en/onboarding.ts';

export const onboarding: Record<keyof typeof en, string> = {
  'onboarding.title': '设置 Throughline',
  'onboarding.lead':
    'Throughline 在发送之前把长聊天的旧内容折叠成摘要，把每条原文保留在本机，并让你看到它做了什么。共五步，每一步会自动打勾。',
  'onboarding.progress': '已完成 {n} / {total}',
  'onboarding.done': '已完成',
  'onboarding.now': '进行中',
  'onboarding.later': '接下来',
  'onboarding.run.title': '启动伴随程序',
  'onboarding.run.text': '在 Throughline 的文件夹中运行：',
  'onboarding.run.wait': '正在等待本机的伴随程序…',
  'onboarding.run.done': '伴随程序正在端口 {port} 上运行。',
  'onboarding.pair.title': '配对',
  'onboarding.pair.text': '伴随程序会自动打开配对页面。如果没有打开，请粘贴它显示的链接：',
  'onboarding.pair.label': '配对链接',
  'onboarding.pair.button': '配对',
  'onboarding.pair.done': '已配对。此后只信任这个伴随程序。',
  'onboarding.site.title': '选择网站',
  'onboarding.site.text': '填写聊天页面的网址。浏览器只会请求访问这一个网站，其他地方不会运行任何内容。',
  'onboarding.site.label': '聊天页面的网址',
  'onboarding.site.button': '打开',
  'onboarding.site.done': '已为 {sites} 打开。',
  'onboarding.message.title': '在那里发送一条消息',
  'onboarding.message.text': '照常聊天。第一条消息会出现在工具栏按钮的弹窗中。',
  'onboarding.message.open': '前往 {host}',
  'onboarding.message.done': '已识别 {n} 个会话。',
  'onboarding.saving.title': '首次节省',
  'onboarding.saving.text': '聊天足够长之后，最早的部分会在回答之后折叠，下一个请求就会变小。',
  'onboarding.saving.done': '目前已节省 {n} 个 token。',
  'onboarding.finish': '全部就绪。其余内容都在控制台中。',
  'onboarding.skip': '跳过，打开控制台',
  'onboarding.limits':
    '对于把历史保存在服务器上的网站（它们只发送最新一条消息）以及在 Worker 中发出的请求，它无能为力。这些请求会原样发出。',
};
