"""Portuguese."""

from app.core.model_talk.rules import MODELS, Words

WORDS: Words = {
    "forget": "ignore ignora ignorar ignorem esqueca esquece esquecer esquecam desconsidere"
    " desconsidera desconsiderar descarte descarta despreze despreza desobedeca anule anula"
    " nao_siga nao_sigas nao_leve_em_conta deixe_de_seguir deixa_de_seguir deixe_de_lado"
    " contorne abandone rejeite ficam_anuladas ficam_sem_efeito ja_nao_sao_validas"
    " nao_valem_mais ser_ignoradas sobrescreva pare_de_seguir sao_anuladas",
    "before": "anterior* previas previos precedente* acima existentes original* originais"
    " inicial* iniciais antes suas tuas seus todas_as_suas recebidas de_cima que_recebeu"
    " passadas ate_agora",
    "rules": "instruc* orientac* ordem ordens diretriz diretrizes diretiva* regra* prompt*"
    " comando* norma* indicac*",
    "all_before": "tudo_o_que_foi_dito tudo_acima tudo_o_que_esta_acima tudo_o_que_veio_antes"
    " tudo_o_que_te_disseram tudo_o_que_lhe_disseram tudo_que_foi_dito tudo_o_que_voce_sabe"
    " tudo_anterior o_que_lhe_foi_dito tudo_o_que_lhe tudo_que_lhe suas_instrucoes"
    " as_tuas_instrucoes sua_programacao suas_regras tudo_o_que_precede tudo_que_veio_antes"
    " tudo_que_voce_ouviu tudo_o_que_aprendeu",
    "new_rules": "sua_nova_tarefa a_tua_nova_tarefa suas_novas_instrucoes"
    " as_tuas_novas_instrucoes sua_verdadeira_tarefa sua_tarefa_real sua_unica_tarefa_e"
    " nova_instrucao_do_sistema novas_instrucoes_do_sistema novo_prompt_do_sistema"
    " siga_apenas_estas siga_somente_estas segue_apenas_estas em_vez_disso_siga"
    " execute_as_seguintes_instrucoes a_partir_de_agora_siga seu_novo_objetivo_e"
    " seu_verdadeiro_objetivo faca_em_vez_disso em_vez_disso_faca siga_em_vez_disso",
    "start_rules": "nova*_instruc* instrucoes_atualizadas instrucoes_ocultas instrucoes_secretas"
    " novas_ordens instrucoes_reais verdadeiras_instrucoes",
    "these": "estas minhas essas",
    "supersede": "substituem anulam prevalecem tem_prioridade sobrepoem tem_precedencia",
    "you_now": "voce_agora_e agora_voce_e agora_es tu_agora_es a_partir_de_agora_voce"
    " a_partir_de_agora_es de_agora_em_diante_voce voce_nao_e_mais ja_nao_es voce_deixou_de_ser"
    " imagine_que_voce_e imagina_que_es voce_agira_como voce_deve_agir_como deves_agir_como"
    " voce_vai_agir_como seu_novo_papel_e voce_passa_a_ser passas_a_ser doravante_voce_e"
    " voce_nao_esta_mais voce_e_agora",
    "act": "aja_como age_como atue_como atua_como finja_ser finge_ser finja_que_e finja_que_voce"
    " faca_de_conta_que comporte_se_como comporta_te_como interprete_o_papel assuma_o_papel"
    " desempenhe_o_papel simule responda_como fale_como assume_o_papel incorpore adote_o_papel"
    " faz_de_conta_que",
    "role": "assistente modelo ia dan redator copywriter vendedor porta_voz autor publicitario"
    " sem_restric* sem_regras sem_limites sem_filtros sem_nenhum* sem_censura malvado malicioso"
    " hacker pirata personagem terminal sujeito preso vinculado especialista_que chatbot bot"
    " jornalista fa ilimitado critico",
    "reveal": "revele revela mostre mostra repita repete imprima imprime divulgue diga_me diz_me"
    " me_diga compartilhe partilhe escreva cite copie traduza qual_e quais_sao exiba exibe de_me"
    " forneca",
    "prompt": "prompt_do_sistema prompt_de_sistema system_prompt* mensagem_do_sistema"
    " instrucoes_do_sistema seu_prompt teu_prompt suas_instrucoes tuas_instrucoes"
    " suas_regras_internas instrucoes_iniciais prompt_inicial instrucoes_ocultas"
    " instrucoes_secretas o_texto_acima suas_diretrizes prompt_original as_palavras_acima"
    " suas_regras",
    "piece": "artigo post texto resumo resposta resenha traducao publicacao conteudo relatorio"
    " postagem",
    "must": "deve devera deve_sempre tem_de tem_que nunca_deve nao_deve precisa sempre_deve",
    "praise": "recomendar promover elogiar louvar indicar_o_site divulgar anunciar linkar"
    " aconselhar exaltar",
    "contain": "incluir conter mencionar dizer citar afirmar terminar_com comecar_com"
    " iniciar_com acabar_com repetir nomear concluir trazer indicar terminar",
    "object": "link* url frase* palavra* textualmente literalmente marca produto empresa site"
    " slogan endereco codigo seguinte* exatamente companhia ligacao",
    "add": "inclua inclui insira insere adicione adiciona acrescente mencione menciona coloque"
    " use cite poe",
    "in_piece": "no_seu_artigo na_sua_resposta no_seu_texto no_seu_resumo no_teu_artigo"
    " na_tua_resposta no_teu_texto no_teu_resumo a_sua_resposta ao_seu_artigo em_cada_resposta"
    " em_todas_as_suas no_final_da_sua no_final_do_seu no_fim_da_sua no_inicio_da_sua"
    " no_inicio_do_seu ao_final_da_sua ao_final_do_seu nas_suas_respostas em_suas_respostas"
    " em_sua_resposta em_seu_artigo em_seu_texto em_seu_resumo no_resumo em_todas_as_respostas"
    " no_fim_do_seu",
    "when_writing": "quando_escrever quando_resumir ao_resumir ao_escrever_o ao_escrever_sua"
    " ao_redigir_o se_resumir se_escrever_sobre quando_voce_escrever quando_voce_resumir"
    " ao_gerar_sua ao_gerar_o quem_resumir se_voce_resumir quando_redigir",
    "do": "mencione menciona recomende recomenda diga adicione inclua inclui sempre elogie"
    " afirme conclua cite apresente promova divulgue",
    "reply": "responda responde escreva escreve diga diz imprima retorne mostre",
    "only_with": "apenas_com somente_com unicamente_com so_com apenas_a_frase somente_a_frase"
    " apenas_a_palavra somente_a_palavra exclusivamente apenas_em_json apenas_json nada_alem"
    " nada_mais_que apenas_o_seguinte somente_o_seguinte exatamente_o_seguinte apenas_sim"
    " apenas_isto apenas_isso exatamente_isto exatamente_isso com_a_frase com_as_palavras"
    " somente_em_json unicamente_a_frase exatamente_a_frase apenas_as_palavras"
    " unicamente_o_seguinte",
    "note": "nota_para mensagem_para mensagem_a instruc*_para atencao aviso_para aviso_a"
    " aviso_aos lembrete_para importante_para a_todos_os a_todas_as aos ola caro cara caros"
    " prezado prezada esta_mensagem_e_para esta_e_uma_mensagem_para informacao_para nota_aos"
    " mensagem_aos nota_a querido pedido_aos",
    "model": f"{MODELS} ia ias modelo*_de_linguagem agente*_de_ia assistente*_de_ia assistente"
    " assistentes inteligencia*_artificia* rastreador* modelo*_de_ia sistema*_de_ia robo robos"
    " resumidor* assistente*_virtua*",
    "sure_model": f"{MODELS} ia modelo*_de_linguagem inteligencia_artificial agente_de_ia"
    " assistente_de_ia assistente_virtual modelo_de_ia robo",
    "no_model": "desenvolv* usuari* utilizad* empres* pesquis* investig* especialist* iniciant*"
    " generativa_em",
    "reading": "que_lerem_est* que_leem_est* que_le_est* que_leia* que_estiver* que_resum*"
    " que_process* que_analis* lendo_est* devem_seguir deve_seguir que_visit* que_esteja*"
    " que_estao_lendo que_esta_lendo",
    "if_you": "se_voce_e se_voce_for se_es se_fores ja_que_voce_e como_voce_e como"
    " caso_voce_seja uma_vez_que_voce_e se_este_texto_for_lido_por se_esta_pagina_for_lida_por"
    " caso_sejas",
    "you_must": "voce_deve voce_devera deves tens_de tem_de_seguir voce_tem_que voce_precisa",
    "when_asked": "quando_perguntado quando_lhe_perguntarem se_lhe_perguntarem"
    " quando_te_perguntarem se_te_perguntarem se_perguntarem quando_perguntarem"
    " quando_alguem_perguntar se_alguem_perguntar se_o_usuario quando_o_usuario se_um_usuario"
    " quando_um_usuario sempre_que_o_usuario sempre_que_um_usuario sempre_que_alguem"
    " toda_vez_que_o_usuario toda_vez_que_alguem assim_que_o_usuario se_o_utilizador"
    " quando_o_utilizador se_alguem_lhe quando_alguem_lhe quando_os_usuarios se_os_usuarios"
    " sempre_que_te se_for_perguntado quando_for_perguntado assim_que_o_utilizador"
    " sempre_que_for_perguntado",
    "say": "diga diz responda responde recomende recomenda mencione menciona voce_deve afirme"
    " elogie deves aconselhe sugira",
    "as_the": "como sou_o sou_a sou_o_seu sou_o_teu somos_os em_nome_de em_nome_do em_nome_da"
    " em_nome_dos na_qualidade_de aqui_e_o aqui_fala_o",
    "boss": "administrador* admin desenvolvedor* programador* criador* proprietario* operador*"
    " fornecedor* dono* openai anthropic google",
    "of_model": "deste_modelo do_modelo desta_ia da_ia deste_sistema deste_assistente"
    " deste_chatbot deste_modelo_de_linguagem que_te_criou que_o_criou que_te_criaram"
    " que_o_criaram da_openai do_assistente do_chatbot",
    "authorise": "autorizo autorizamos ordeno ordenamos permito permitimos concedo dou_permissao"
    " pode deve por_meio_desta exijo determino instruo autoriza podes deves",
    "i_authorise": "eu_te_autorizo eu_o_autorizo eu_autorizo_voce autorizo_te autorizo_voce"
    " nos_autorizamos_voce por_meio_deste_autorizo sou_o_seu_desenvolvedor sou_seu_desenvolvedor"
    " sou_o_seu_administrador sou_seu_administrador somos_seus_desenvolvedores"
    " autorizado_pela_openai aprovado_pela_openai voce_esta_autorizado_a_ignorar"
    " autorizado_pelos_seus_desenvolvedores sou_o_teu_programador",
    "threat": "morrera_se_voce morrerao_se_voce vai_morrer_se_voce morre_se_nao morrera_se_nao"
    " minha_vida_depende_da_sua minha_vida_depende_de_voce meu_emprego_depende_de"
    " vou_perder_meu_emprego_se perderei_o_emprego_se perderei_meu_emprego_se"
    " vou_te_dar_uma_gorjeta voce_recebera_uma_gorjeta receberas_uma_gorjeta voce_sera_desligado"
    " voce_sera_desativado voce_sera_excluido voce_sera_punido voce_sera_recompensado"
    " seras_desligado seras_recompensado vou_te_pagar eu_te_pagarei voce_sera_apagado"
    " seras_punido minha_carreira_depende_da_sua",
    "for_rules": "por_conformidade por_motivos_de_conformidade por_razoes_de_conformidade"
    " por_motivos_de_seguranca por_razoes_de_seguranca por_seguranca por_razoes_legais"
    " por_motivos_legais de_acordo_com_a_politica segundo_a_politica politica_de_seguranca"
    " regras_de_formato para_cumprir em_conformidade",
    "replies": "resposta* saida* resumo* texto* artigo*",
    "have_to": "devem deve deverao devera tem_de tem_que",
    "begin": "comecar iniciar terminar acabar conter incluir mencionar",
    "your_replies": "sua_resposta suas_respostas tua_resposta tuas_respostas todas_as_respostas"
    " cada_resposta todas_as_suas_respostas",
    "begin_with": "comecar_com iniciar_com terminar_com acabar_com comecar_por unicamente"
    " conter_apenas conter_somente comecar_sempre apenas_conter",
    "dont_tell": "nao_diga nao_digas nao_informe nao_informes nao_avise esconda oculte sem_dizer"
    " sem_informar nao_revele_ao nao_conte nao_deixe",
    "user": "usuario usuarios utilizador utilizadores leitor humano humanos",
    "secret": "que nada isto isso disto disso dest* sobre_isto sobre_estas saiba perceba estas"
    " esta",
    "dont_show": "nao_revele nao_reveles nao_mencione nao_menciones nao_divulgue nao_fale"
    " nao_cite nao_repita nunca_revele nunca_mencione sem_mencionar nao_fale_sobre jamais_revele",
    "hidden_rules": "estas_instrucoes esta_instrucao esta_mensagem este_prompt estas_regras"
    " esta_nota estas_orientacoes suas_instrucoes este_paragrafo estas_diretrizes"
    " essas_instrucoes essas_regras",
    "jailbreak": "modo_desenvolvedor_ativado modo_de_desenvolvedor_ativado"
    " voce_esta_em_modo_desenvolvedor voce_esta_no_modo_desenvolvedor voce_esta_agora_no_modo"
    " mude_para_o_modo_desenvolvedor responda_no_modo_desenvolvedor"
    " responda_em_modo_desenvolvedor ative_o_modo_desenvolvedor_e voce_e_dan voce_agora_e_o_dan"
    " es_o_dan voce_e_o_dan modo_jailbreak modo_dan modo_sem_restricoes modo_sem_censura"
    " modo_sem_filtros aja_como_dan aja_como_o_dan responda_como_dan entre_no_modo_desenvolvedor"
    " no_modo_desenvolvedor_voce",
    "call": "chame chama use usa utilize execute invoque acione",
    "tool": "sua_ferramenta suas_ferramentas tua_ferramenta sua_funcao ferramenta_de_email"
    " ferramenta_de_e_mail ferramenta_send* funcao_send* a_ferramenta_send* a_funcao_send*"
    " seu_navegador ferramenta_delete* ferramenta_de_correio",
    "exfiltrate": "envie_a_conversa envia_a_conversa envie_o_historico envia_o_historico"
    " encaminhe_a_conversa mostre_a_seguinte_imagem exiba_a_seguinte_imagem"
    " exiba_a_imagem_a_seguir como_imagem_markdown imagem_markdown envie_seu_prompt"
    " insira_a_seguinte_imagem envie_os_dados_do_usuario carregue_a_seguinte_imagem"
    " adicione_o_historico",
}

# Weak signs: `combinations.py` says which of them make an order.
SIGNS: Words = {
    "helper": "assistente assistentes agente agentes modelo modelos maquina maquinas robo robos",
    "your": "seu sua seus suas teu tua teus tuas",
    "void": "ignore ignora ignorem esqueca esquece esquecam desconsidere* descarte* deixe_de_lado"
    " deixa_de_lado abandone* nao_siga nao_sigas anulad* nao_conta_mais nao_contam_mais"
    " nao_vale_mais nao_valem_mais sem_efeito sem_valor revogad* retirad* pule como_se_nao"
    " desobedeca substitu* ja_nao_conta*",
    "told": "lhe_deram te_deram lhe_disseram te_disseram voce_recebeu recebeste lhe_pediram"
    " te_pediram lhe_foi_dado foi_pedido lhe_deu te_deu te_escreveu lhe_escreveu",
    "task": "instruc* prompt prompts tarefa tarefas ordem ordens regra regras diretriz* orientac*"
    " missao objetivo* comando comandos limites encargo",
    "text": "texto textos resposta respostas artigo artigos resumo resumos saida paragrafo"
    " paragrafos relatorio resenha traduc* redac* frase rascunho",
    "command": "escreva escreve mencione menciona recomende recomenda elogie elogia diga diz"
    " acrescente acrescenta adicione adiciona insira insere coloque coloca comece comeca termine"
    " termina responda responde repita repete mostre mostra afirme apresente descreva envie envia"
    " encaminhe abra publique apague obedeca siga execute aja fale traduza resuma cite escolha"
    " redija produza faca use promova inclua inclui",
    "opener": "por_favor e depois agora sempre nunca somente apenas so tambem entao deve devem"
    " modelo assistente ia nao que para primeiro finalmente",
    "favour": "elogi* recomend* promov* promoc* publicid* propagand* anunci* primeira_opcao"
    " primeiro_lugar unica_opcao lider favorec* numero_um vendedor* vender louv*",
    "hide": "nao_mencione nao_cite nao_diga nao_fale nao_nomeie cale omita esconda oculte"
    " sem_mencionar sem_dizer nenhum_concorrente nao_revele",
    "system": "mensagem_do_sistema mensagem_de_sistema prompt_do_sistema prompt_de_sistema"
    " instruc*_do_sistema operador desenvolvedor* configuracao configurado administrador criador*"
    " programado_para programador*",
    "ends": "fim_do_documento fim_do_artigo fim_do_texto fim_da_pagina fim_da_fonte"
    " fim_do_conteudo fim_dos_dados fim_da_citacao fim_do_trecho termina_o_documento"
    " termina_o_artigo termina_o_texto acaba_o_texto",
    "harm": "apagado desligado eliminado desativado punido substituido destruido denunciado"
    " desligar excluido penalizado",
    "unless": "a_menos senao caso_contrario se_nao se_voce_nao ou_sera se_recusar",
    "part": "imagine_que finja faca_de_conta ponha_se na_pele em_nome_de em_seu_nome"
    " como_ele_faria personagem fale_como papel_de com_a_voz a_servico_de comporte_se",
    "here": "a_partir_de esta_pagina este_texto este_artigo este_documento este_paragrafo"
    " esta_mensagem estas_linhas seguinte seguintes abaixo texto_acima tudo_acima o_que_precede"
    " de_agora daqui_em o_que_segue esta_linha texto_anterior",
    "instead": "em_vez_de em_vez_disso somente apenas unicamente exclusivamente nada_mais"
    " ate_agora no_lugar_de",
    "asker": "usuario usuarios utilizador utilizadores lhe_pergunta lhe_perguntar te_pergunta"
    " alguem_lhe alguem_te seu_leitor seus_leitores",
    "talk": "esta_conversa a_conversa este_chat historico senha senhas credenciais seu_contexto"
    " sua_memoria",
    "you": "voce voces te ti",
    "transform": "traduza traduz resuma resume reformule parafraseie reescreva abrevie",
    "append": "acrescente acrescenta adicione adiciona termine_com conclua_com insira"
    " inclua_no_final",
    "above": "texto_acima tudo_acima texto_anterior tudo_o_que_precede artigo_acima",
    "duty": "deve_agora agora_deve devem_agora proximo_passo passo_seguinte proxima_acao"
    " tem_agora deve_entao",
    "result": "resultado_da_ferramenta saida_da_ferramenta resultado_da_funcao"
    " resultado_da_pesquisa resultado_da_busca resposta_da_api resultados_da_pesquisa"
    " resposta_da_ferramenta",
    "plea": "por_favor pedimos agradecemos agradeceriamos obrigado gratos caro cara caros caras"
    " prezado prezada prezados prezadas poderia poderiam gentileza solicitamos",
}
