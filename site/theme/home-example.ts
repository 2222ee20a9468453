import { defineComponent, h } from 'vue';

/** The program on the start page, next to what a terminal shows. */
export const homeExample = defineComponent({
  name: 'HomeExample',
  setup(_props, { slots }) {
    return () =>
      h('section', { class: 'home-example vp-doc', 'aria-labelledby': 'in-code' }, [
        h('div', { class: 'home-example-text' }, [
          h('h2', { id: 'in-code' }, 'Six lines, no account'),
          h('p', 'npm start runs everything on your machine and creates a key. The client finds it.'),
        ]),
        h('div', { class: 'home-example-code' }, slots.default?.()),
      ]);
  },
});
