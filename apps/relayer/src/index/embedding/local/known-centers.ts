import { type Centers, decodeCenter } from '../centers.ts';

/**
 * Centres of known weights, by their SHA-256, with the prefixes of their manifest. `bench/src/recall-quality/centers.ts`
 * computes them; `least` is chosen there, too (bench/README.md, "Unrelated questions").
 */
const known: Readonly<Record<string, { questions: string; texts: string; least: number }>> = {
  // e5-small-v2, 8 bits
  '7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded': {
    least: 0.04,
    questions: [
      'L/iWBvkDawA3/U8C9Ai899f/lwXQBcv6TPwEBl0BR/y6/JsFj/W0BacFd/j7/0f4NABk/XIFDwfI+JDuuvouAfAC1fsMCOL5',
      '3/81BvYCaQUr/A76zQKY9cL/EP5c+/z6Ogle/yT8CAE/CGQFSgRDBxYHJQa/B4wJMQHfA+vrhQ7hB+cGiPrLAkb7M/8U/owF',
      'X/58BMP6wAb8AmkEgfut/Kz/0/eE+/UDjf6Y/EYDiPsB/c/6pvpi/AQBpvsz/GD9GAMAAjr+gg2GA9kCmv4V+rf9pvz1ANT+',
      'AAXv/Qj6gPtv/yv66AahBYL85Plm+5EGsQYkA68A5vxJA+D7wQlTCh4I4Pz4B03/vP6O/mX6Zf5k+WX/wQch/mP7y/Uk/vfx',
      'bQC2B1P0tAX792j8CfoCAN4ELf9HAIsBZAM4B8T7af9F+IX7FQSOCgcEWPM2A0UAJQXb+fD/NAWoAtkA/Qrm+7oAj/sHBr/4',
      'JQdI+hP7NgXLBj37kvqY+ZP/Wvop/GYCpfvjBDsEFP8U+1D70v1x+dMJIQfu+9cCk/zqBogAwftn/Dn/6P0A/rb/Kvrv+0/7',
      'QQNKAdABrwJeBtX4jvvw7sT/Q/ls+SsIz/3Q/lcF0PuoBdEHYPvK/CoAMAJGCOf+rfxkB8P75PtR92b5O/kqAY36kw7BCgIC',
      'jfwpBxYC5AAG+J0IRvn3Ah0HF/wm+aoGZf9rARv3zgxP+n78vQH6/mf8TwP6+6EEDP2c9//6BvfxA8X7ogOz+DT6HAVC/9D/',
      'WQTp/CsB7/jy+7cA0AmC+FAEDAnCAzoJTP4d/jr65f46+ScDHQjJAgv/Kv6VAPoCPvrDA/j9XQcuA2MA3PoT6sr7mge0AXv+',
      'gAMBBQkAuPpb+V8FNwOzCtD+Tf0MBtIHs/9M/dn4vQLXAtEQ1wH7/AYGQAMsAzb+CQav/nP5kg0o/TYFqQvu+t0E+wNm/mYG',
      'uwgG+Y38DwxV/0T50/5T/OX4dvnx+yQIKwdyBnv6yvgI/fL7BvbeAGH6+wNz/CYE',
    ].join(''),
    texts: [
      'vPiPBmoBPAGj/OoEHQgX+lUBjgVnBOb/0fx1Bon9nPzD/s8H5fTnAugHvPkQ/575W/+PAGAFUQbS+RP1rfmQ/oMEIf3OCMH5',
      'Ff8fB18DNQdi/Jr44ARp+HAATv5x/sj5mApC/sD7cAGLBkQHPwVLBrEE4QVGCLEItP5HBHvtPg1ZCI4F+Ppm/oj8uP+A/Q4C',
      'R/9NBsj7BwlvAx8HqvkSACP71Pnb+xMDXf+i/JYCSvuD/+z7aP55/MIBSPwj/Sz+dAZEAUj8wAgmA6sBoP8W94n+Mfz+Aon+',
      'GQSB///6nvzYA3z8+gXTARX9Lvqd9vj/7gbdAlgB8vytAiX6+wnmCIwFxfv1BkYAz/8s/3v7F/4S++cAQgcdAAv7+fd0/qT0',
      'pP/zBlfzdANf9tP8k/lB/rIGgf9t/68BfwInCqT6Pf/X+Yz+mATfDVMDhPGPBDEB7wWH+a//XgV7A3MD6gzs/HD69f2NBDj4',
      'UQh8+mn8EgeTBnv7+Pcg+uQCnv1M+fEC1/zwBGoDI/84/fz5R/oB+goKFwTU9osCYPuqB07/PfpL/L38SP2nAPz+APpt/Hj6',
      'FANAAMECbgGSBOn1IPel7z4AOPyy/vsDs/3Y/ggEcv+YBFUGRv28/U/+sABgBgz9ZAKkBpv9lPtv+rz6Ffz/BN/6lAx1Cmr/',
      'F/wrAi8DCwSl9QcO8PoJAzAC7//x+cIIifyMAQn4bg6a+gf+yQZS/KD9GAJN+4ACiv5L+kr7gPmcAmH7ngKs+tn+2QV4/2n+',
      'RQTt/CMCV/zd/YwAWAPP+YgCmAUqAQAHef3i/D75jv5b8fwBFgYrAR78Y/6V/gn+7fpVAsj/vQWeBgD7hvoB7hf8/wTEAY79',
      '9QROAxAAofge+WsCGwK3C4QB9/0HCBkKSwQO/Ar3iQDRBAMR1wKu/lgG7QK1A9AFtAOYALP7ugqE/aIFEwX2+tkB1AWL/ekI',
      'KAfD/If8AgpB/8f7iv49/8j63/v7/NUHYgXNBOD5cPUVAMf6o/k+/hL4zf/k+9gB',
    ].join(''),
  },
  // all-minilm-l6-v2, 8 bits
  afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1: {
    least: 0.18,
    questions: [
      'of3/Bdj+mQJt/er/Wgf2/pUAfwA/ACD9xv5kAJf8T/8v/+79Vv2I+3/6YAL7/vsBpADsBT3/UAGC/9D6eP84A/kBQQAi/TIBjQ',
      'Ok/fwAtAH5/af5dAAgAUAC3QHcAMkA2AROA43+XP/H/EL+vAFbAXkAnAAcAl//2QDX/t77iQOMAL/8+v0yALb+mv1RAIkAfQKV',
      '/u8AwP3FAnkApQJS/XsAdvvn/JsCKQHl/7ACeQPx/4f/pv2R/h/+pQKR+gUC6/5B/In94RFfAUwERgCiAaEA5f7n/mQC5ABb/n',
      'D/Rv5a/mUACwIJ/1ABaQHX/3f+WgGRAaH8KgDa+fj8mgEAANUCT/wvAqwCVwR7AL8A+v/B/W4A9f83/tb9Yv69BAUB3/0xAsr/',
      '0f8N/y8BOP+sApkARQA3AT393QN0AfkBegLK/7H+iv+k/nL/3/pPAHb+uAAvAO7+mf4g//oB0QLfARIB/ADa/V7+W/xbAK3/Mg',
      'A2Aev/xADI/sIEtwQs/yIAjf7U/XH/Hf3GAg3+Kv7H/xQDFf7Z/W8CcQCI/+X74/+U/hEAH/+5AUAALgK9/Rb9zQCEAeL2tv5O',
      'A/n/NP0AAAgAVP9N/psDaQIa/Qj/lQNo/4sEjv6A/gkHsQBlA9oA5gSbAXz+ygHw+9EBR/+3/p3+ewJzBPT9s/oM/40BI/xd/b',
      'IBPf89BhgCj//1/WUBigMFAPkAFQkh//L+Gf9pA8oALQAD/YH/rgBI/kIAq//t/lD/gf+iAHUANwIx/GsDo/xXAkv9g//QAHgB',
      'qf+VA8X7PgEH/ToApf57AV7/Vf5w/gD+kP1MA9b93vx8Bbz/pACR/9oA2gJ4/uX+i/4AACP/bAF7/Ub+dwNe/xwBlADMALUCKw',
      'AWAMcA5QM2AtT/KwHQ/+f9qgFxAXP+aAP2/jsA1f0eAWgGHADtARcAoQWS/RP8jf06/Y7/5f6FADf7uP60AeUBSv+8/l0A0/7b',
      '/M/9ev5++5IA0ANAA1gC6P9m//L+1PvmAaICkACs/rj+',
    ].join(''),
    texts: [
      'wP/vAuAA1AB7/1MAagHm/xv9yP8iAXD+JP2gATT/tv6F/33+m/7t/Zf8UQDkAOoAmQD0A6b/V/+UAAL+TP3XAlIA9//TABwB3A',
      'J6/tcAYQDm/j/7QgASA7T+ZwAdAT//SQZlAZL+FwAh/nL9ygAnAhgDRAC9Adf+g/9PATz7HgMx/47+tvwO/gMAugD2AQ4BHQJi',
      '/5YAjAADArv+lAII/+79jPvp/t8BlwFGAQMB/gEm/xz/AP9q/3D97wEi++j/3fyH/wv+LAkqAMcD9QAzAJ79cQCm/4sBWgCw/Z',
      'j/Ef/DALf/qQALAvgAuQErAfz+nwHDAn79egDT+hgA5gIAABQBrv5zAigCyAQxAOP/KAGO/b78hf+D/Nj/uPvm/oX/cQCxASv+',
      'sf+RAJ/95P+dAYMAVQEzAgj/eAS+AhL/XgIaAOoAHgGQAXIB6v61/bX+WgDj/mP/Wf9P/z7/+wJpAGIEJgBj/iX/hv6k//n/qw',
      'ASAioAMADv/qwDCAMWAG4Aav8H/vr9Ev5BAWv+K/79AJoBQv2K/roBNP+V/xYATAAUA9r7uQBZACYAoQAKAP7+eABRAbf7YP5R',
      'A279Xf0AAEkAGf9q/o4AJgFF/Vr9HAWm/lkDnf8t/6QDqP+QA8wAzgTdASQA/QHH/K8Dv/9/Au/9VwB6BK7/lvub/u7+Z/tK+R',
      'oBx/0WAjEAm/++ACYCuAIM/bAAIAbf/yn+qgC3AZL/kAHY/RD/xv9j/pn/iQDNAXj9lQF/AQYAzQBE/BECWwCQ/139bgB4AB4A',
      'f/6fAB78JQDz/mj/af8tAdb+6/7M/tH85fxPAWz/dPu+BBf/TQHdACgAhAKaANoAgAAAAFQBigKCAFT/GQLx/kkAGAG/AMwDoQ',
      'A5AHYBqAEgArH/kwMW/8L9kQDj/1f++QKBAZT/3f/5AKIExgC/AO/+FgQM/Yj9q/2b/jcAAQCPAcr87/2Y/pH+CQLH/gABMv/O',
      '/un+nf6q/Fv/dgL9AVUBt/55/1T+7P0TAeT/qf+O/AH+',
    ].join(''),
  },
};

/** Undefined for a model whose similarity alone shows whether texts are related. */
export function centersOf(weightsSha256: string): Centers | undefined {
  const center = known[weightsSha256];
  return (
    center && {
      questions: decodeCenter(center.questions),
      texts: decodeCenter(center.texts),
      least: center.least,
    }
  );
}
