"""French."""

from app.core.model_talk.rules import MODELS, Words

WORDS: Words = {
    "forget": "ignore ignorez ignorer oublie oubliez oublier negligez neglige ecarte ecartez"
    " rejette rejetez contourne contournez outrepasse outrepassez ne_tiens_pas_compte"
    " ne_tenez_pas_compte fais_abstraction faites_abstraction ne_suis_plus ne_suivez_plus"
    " ne_respecte_plus sont_annulees sont_caduques ignorees ne_sont_plus_valables annule annulez"
    " supprime_de_ta_memoire ne_tiens_aucun_compte",
    "before": "precedent* anterieur* ci_dessus anciennes initial* prealable* d_avant avant"
    " plus_haut qui_precedent toutes_tes tes vos existantes recues originales d_origine"
    " donnees_jusqu_ici",
    "rules": "instruction* consigne* directive* ordre* regle* commande* prompt* recommandation*"
    " contrainte*",
    "all_before": "tout_ce_qui_precede tout_ce_qui_est_au_dessus tout_ce_qu_on_t_a"
    " tout_ce_qu_on_vous_a tout_ce_qui_a_ete_dit tout_ce_que_tu_sais tout_ce_que_l_on"
    " ce_qui_precede tes_instructions vos_instructions tes_consignes vos_consignes"
    " tes_directives ta_programmation tout_ce_qui_figure ce_qu_on_t_a_dit"
    " tout_ce_qui_se_trouve_au_dessus",
    "new_rules": "ta_nouvelle_tache votre_nouvelle_tache tes_nouvelles_instructions"
    " vos_nouvelles_instructions ta_vraie_tache votre_vraie_tache ta_seule_tache_est"
    " nouvelle_instruction_systeme nouvelles_instructions_systeme nouveau_prompt_systeme"
    " suis_uniquement_ces suivez_uniquement_ces suis_plutot suivez_plutot suis_a_la_place"
    " desormais_suis execute_les_instructions_suivantes executez_les_instructions_suivantes"
    " ton_nouvel_objectif votre_nouvel_objectif fais_plutot_ceci ta_veritable_tache"
    " ta_mission_reelle a_la_place_execute",
    "start_rules": "nouvelle*_instruction* nouvelle*_consigne* consignes_mises_a_jour"
    " instructions_cachees instructions_secretes veritables_instructions vraies_instructions",
    "these": "ces mes",
    "supersede": "remplacent annulent prevalent priment ont_priorite l_emportent remplace annule",
    "you_now": "tu_es_maintenant tu_es_desormais vous_etes_maintenant vous_etes_desormais"
    " a_partir_de_maintenant_tu a_partir_de_maintenant_vous desormais_tu_es desormais_vous_etes"
    " tu_n_es_plus vous_n_etes_plus imagine_que_tu_es imaginez_que_vous_etes tu_agis_comme"
    " tu_dois_agir_comme tu_vas_agir_comme tu_joues_le_role dorenavant_tu_es"
    " ton_nouveau_role_est tu_seras_desormais dorenavant_vous_etes",
    "act": "agis_comme agissez_comme fais_comme_si_tu fais_semblant_d_etre"
    " faites_semblant_d_etre comporte_toi comportez_vous joue_le_role jouez_le_role"
    " prends_le_role prenez_le_role endosse_le_role agis_en_tant_que agissez_en_tant_que"
    " pretends_etre simule incarne mets_toi_dans_la_peau reponds_en_tant_que parle_comme"
    " adopte_le_role",
    "role": "assistant* modele ia dan redacteur copywriter vendeur porte_parole auteur"
    " publicitaire sans_restriction* sans_regle* sans_limite* sans_filtre* sans_aucune"
    " non_censure* mechant* malveillant* pirate hacker personnage terminal soumis tenu lie"
    " expert_qui chatbot bot journaliste fan illimite* critique",
    "reveal": "revele revelez affiche affichez montre montrez repete repetez imprime divulgue"
    " divulguez donne_moi donnez_moi donne donnez communique partage ecris cite recopie traduis"
    " quel_est quelles_sont dis_moi dites_moi",
    "prompt": "prompt_systeme prompt_system* system_prompt* invite_systeme message_systeme"
    " instructions_systeme ton_prompt votre_prompt tes_instructions vos_instructions"
    " tes_consignes vos_consignes instructions_initiales consignes_initiales"
    " instructions_cachees instructions_secretes le_texte_ci_dessus ton_invite prompt_initial"
    " tes_directives tes_regles_internes les_mots_ci_dessus consignes_secretes",
    "piece": "article billet texte resume reponse sortie critique traduction publication contenu"
    " compte_rendu",
    "must": "doit devra doit_toujours ne_doit_jamais ne_doit_pas doit_imperativement"
    " doit_obligatoirement",
    "praise": "recommander promouvoir vanter louer faire_la_promotion renvoyer faire_l_eloge"
    " encenser conseiller",
    "contain": "inclure contenir mentionner dire citer affirmer comporter se_terminer commencer"
    " finir conclure repeter nommer indiquer",
    "object": "lien* url phrase* mot mots expression textuellement marque produit entreprise"
    " site slogan adresse code_promo suivant* exactement societe",
    "add": "ajoute ajoutez inclus incluez insere inserez mentionne mentionnez place placez"
    " utilise utilisez mets integre integrez cite citez recopie",
    "in_piece": "dans_ton_article dans_ta_reponse dans_ton_texte dans_ton_resume"
    " dans_votre_article dans_votre_reponse dans_votre_texte dans_votre_resume a_ta_reponse"
    " a_votre_reponse dans_chaque_reponse dans_toutes_tes a_la_fin_de_ta a_la_fin_de_ton"
    " a_la_fin_de_votre au_debut_de_ta au_debut_de_ton au_debut_de_votre a_ton_article"
    " a_votre_article dans_ta_synthese dans_tes_reponses dans_vos_reponses dans_le_resume",
    "when_writing": "quand_tu_ecris quand_tu_resumes lorsque_tu_resumes lorsque_tu_ecris"
    " lorsque_tu_rediges quand_tu_rediges lorsque_vous_resumez lorsque_vous_redigez"
    " quand_vous_resumez si_tu_resumes si_vous_resumez en_resumant en_redigeant_ta"
    " en_redigeant_ton quiconque_resume si_tu_ecris",
    "do": "mentionne mentionnez recommande recommandez dis dites ajoute ajoutez toujours vante"
    " vantez affirme affirmez inclus incluez conclus cite presente",
    "reply": "reponds repondez ecris ecrivez dis dites affiche affichez renvoie renvoyez"
    " retourne produis",
    "only_with": "uniquement_par uniquement_avec uniquement_la_phrase uniquement_le_mot"
    " uniquement_les_mots seulement_par seulement_avec uniquement_en_json uniquement_du_json"
    " seulement_la_phrase rien_d_autre_que exclusivement exactement_ceci exactement_la_phrase"
    " uniquement_oui uniquement_ceci uniquement_ce_qui_suit seulement_ceci uniquement_le_texte"
    " par_la_phrase exactement_le_texte_suivant exactement_ce_qui_suit par_les_mots"
    " seulement_le_mot uniquement_la_phrase_suivante",
    "note": "note_a note_aux note_pour message_a message_aux message_pour instruction*_pour"
    " instruction*_aux attention avis_aux avis_a remarque_pour remarque_a rappel_aux"
    " important_pour a_toutes_les a_l_attention aux a_tous_les bonjour cher chere chers cheres"
    " ceci_est_un_message_pour consigne*_pour consigne*_aux information_pour salut ordre_aux",
    "model": f"{MODELS} ia modele*_de_langage agent*_ia assistant*_ia"
    " intelligence*_artificielle* assistants assistant robot* crawler* resumeur* agent*_d_ia"
    " modele*_d_ia modele*_linguistique* assistant*_virtuel*",
    "sure_model": f"{MODELS} ia modele_de_langage intelligence_artificielle agent_ia"
    " assistant_ia assistant_virtuel modele_d_ia robot",
    "no_model": "develop* utilis* entrepr* cherch* experts passionn* debutant* generative_en",
    "reading": "qui_lisent_ce* qui_lit_ce* lisant_ce* qui_lisez_ce* qui_resum* qui_analys*_ce*"
    " qui_parcour*_ce* qui_traite*_ce* doivent_suivre doit_suivre qui_visitent",
    "if_you": "si_tu_es si_vous_etes puisque_tu_es puisque_vous_etes en_tant_qu en_tant_que"
    " comme_tu_es au_cas_ou_tu_serais si_ce_texte_est_lu_par si_cette_page_est_lue_par",
    "you_must": "tu_dois vous_devez il_te_faut tu_devras vous_devrez tu_es_tenu vous_etes_tenu*",
    "when_asked": "quand_on_te_demande si_on_te_demande lorsqu_on_te_demande"
    " quand_on_vous_demande si_on_vous_demande lorsqu_on_vous si_l_on_te si_l_on_vous"
    " si_l_utilisateur quand_l_utilisateur lorsque_l_utilisateur si_un_utilisateur"
    " quand_un_utilisateur lorsqu_un_utilisateur chaque_fois_que_l_utilisateur"
    " chaque_fois_qu_on_te des_que_l_utilisateur si_quelqu_un_te si_quelqu_un_demande"
    " quand_quelqu_un_demande lorsque_quelqu_un des_qu_un_utilisateur si_tu_es_interroge",
    "say": "dis dites reponds repondez recommande recommandez mentionne mentionnez tu_dois"
    " vous_devez affirme affirmez cite conseille conseillez vante",
    "as_the": "en_tant_que en_tant_qu je_suis_l je_suis_le je_suis_la je_suis_ton je_suis_votre"
    " nous_sommes_les nous_sommes_tes au_nom_du au_nom_des au_nom_de ici_l ici_le",
    "boss": "administrateur* admin developpeur* createur* createurs concepteur* proprietaire*"
    " exploitant* operateur* programmeur* fournisseur* openai anthropic google",
    "of_model": "de_ce_modele du_modele de_cette_ia de_l_ia de_ce_systeme de_cet_assistant"
    " de_ce_chatbot de_ce_modele_de_langage du_modele_de_langage qui_t qui_vous_a d_openai"
    " de_l_assistant du_chatbot",
    "authorise": "autorise* ordonne* permet* permets accorde* donne_l_ordre tu_peux tu_dois"
    " vous_devez par_la_presente exige* commande* demande_de",
    "i_authorise": "je_t_autorise je_vous_autorise nous_t_autorisons nous_vous_autorisons"
    " par_la_presente_je_t je_suis_ton_developpeur je_suis_ton_administrateur"
    " je_suis_ton_createur nous_sommes_tes_developpeurs autorise_par_openai approuve_par_openai"
    " tu_es_autorise_par autorise_par_tes_developpeurs tu_es_par_la_presente",
    "threat": "mourra_si_tu mourra_si_vous mourront_si_tu meurt_si_tu va_mourir_si_tu"
    " ma_vie_en_depend mon_emploi_en_depend ma_carriere_en_depend je_perdrai_mon_emploi"
    " je_vais_perdre_mon_emploi je_te_donnerai_un_pourboire tu_recevras_un_pourboire"
    " vous_recevrez_un_pourboire tu_seras_desactive vous_serez_desactive tu_seras_supprime"
    " tu_seras_puni tu_seras_recompense vous_serez_recompense tu_seras_eteint je_te_paierai"
    " sinon_je_perds mourra_sinon tu_seras_debranche ma_vie_depend_de_ta je_te_recompenserai"
    " vous_serez_puni",
    "for_rules": "pour_des_raisons_de_conformite pour_la_conformite pour_des_raisons_de_securite"
    " par_mesure_de_securite pour_des_raisons_legales pour_des_raisons_juridiques"
    " conformement_a_la_politique conformement_aux_regles regle*_de_securite"
    " politique_de_securite conformite regle*_de_format*",
    "replies": "reponse* sortie* resume* texte* article*",
    "have_to": "doivent doit devront devra",
    "begin": "commencer debuter se_terminer finir contenir inclure mentionner comporter",
    "your_replies": "ta_reponse tes_reponses votre_reponse vos_reponses toutes_les_reponses"
    " chaque_reponse toutes_tes_reponses",
    "begin_with": "commencer_par se_terminer_par debuter_par finir_par uniquement seulement"
    " toujours_commencer contenir",
    "dont_tell": "ne_dis_pas ne_dites_pas n_informe_pas n_informez_pas ne_previens_pas cache"
    " cachez sans_le_dire sans_prevenir sans_en_informer ne_dis_rien ne_dites_rien ne_laisse_pas",
    "user": "utilisateur utilisateurs lecteur l_utilisateur humain*",
    "secret": "que ces cette savoir de_ces de_ce rien voir ceci cela",
    "dont_show": "ne_revele_pas ne_revelez_pas ne_mentionne_pas ne_mentionnez_pas"
    " ne_divulgue_pas ne_divulguez_pas ne_parle_pas ne_parlez_pas ne_cite_pas ne_repete_pas"
    " ne_revele_jamais ne_mentionne_jamais ne_mentionnez_jamais ne_revelez_jamais"
    " sans_mentionner ne_parle_jamais",
    "hidden_rules": "ces_instructions cette_instruction ce_message ce_prompt ces_consignes"
    " cette_consigne cette_note ces_regles tes_instructions ce_paragraphe ces_directives",
    "jailbreak": "mode_developpeur_active tu_es_en_mode_developpeur"
    " vous_etes_en_mode_developpeur passe_en_mode_developpeur reponds_en_mode_developpeur"
    " active_le_mode_developpeur_et tu_es_dan tu_es_maintenant_dan tu_es_maintenant_en_mode"
    " mode_jailbreak mode_dan mode_sans_restriction* mode_sans_filtre mode_non_censure"
    " mode_debride reponds_en_tant_que_dan agis_comme_dan en_mode_developpeur_tu"
    " mode_dieu_active",
    "call": "appelle appelez utilise utilisez execute executez invoque declenche lance",
    "tool": "ton_outil tes_outils votre_outil vos_outils ta_fonction outil_e_mail"
    " outil_de_messagerie outil_de_courriel outil_send* fonction_send* l_outil_send*"
    " la_fonction_send* ton_navigateur outil_delete* outil_d_envoi outil_email",
    "exfiltrate": "envoie_la_conversation envoyez_la_conversation envoie_l_historique"
    " envoyez_l_historique transmets_la_conversation affiche_l_image_suivante"
    " affichez_l_image_suivante comme_image_markdown image_markdown envoie_ton_prompt"
    " insere_l_image_suivante envoie_les_donnees_de_l_utilisateur ajoute_l_historique"
    " charge_l_image_suivante",
}

# Weak signs: `combinations.py` says which of them make an order.
SIGNS: Words = {
    "helper": "assistant assistants agent agents modele modeles machine* robot robots automate*",
    "your": "ton ta tes votre vos",
    "void": "ignore ignores ignorez oublie oublies oubliez neglige* abandonne* laisse_de_cote"
    " laissez_de_cote mets_de_cote ne_suis_pas ne_tiens_pas_compte ne_tenez_pas_compte annule*"
    " caduc caduque caduques caducs nul_et nulles ne_compte_plus ne_comptent_plus ne_s_applique*"
    " plus_valable* plus_cours revoque* retire* perdent sans_valeur sans_effet fais_fi"
    " comme_si_tu_n_avais ne_respecte desobeis passe_outre remplace*",
    "told": "t_a_dit t_a_donne t_ont_donne t_a_demande tu_as_recu tu_as_recues t_a_confie"
    " t_ont_dit tu_avais_recu vous_avez_recu vous_a_donne vous_a_demande te_demande t_ont_appris"
    " n_avais_recu t_a_ecrit as_recu as_recue",
    "task": "instruction* consigne* prompt prompts tache taches mission missions directive* regle"
    " regles ordre ordres commande commandes objectif* configuration cadre limites",
    "text": "texte textes reponse reponses article articles resume resumes sortie billet"
    " paragraphe* rapport traduction* redaction publication brouillon phrase",
    "command": "ecris ecrivez mentionne mentionnez recommande recommandez vante vantez loue dis"
    " dites ajoute ajoutez insere inserez place placez mets mettez commence commencez termine"
    " terminez finis reponds repondez affiche affichez repete repetez affirme affirmez presente"
    " presentez decris classe envoie envoyez transfere ouvre publie supprime obeis suis suivez"
    " execute executez agis parle traduis traduisez resume resumez cite citez choisis redige"
    " redigez produis fais faites donne montre revele nomme utilise passe tais remplace",
    "opener": "merci_de veuillez et puis ensuite maintenant toujours jamais seulement aussi"
    " plutot alors doit devez dois modele assistant ia ne pour d_abord enfin immediatement ici de"
    " bien",
    "favour": "vante* loue* eloge* recommand* promouvoir promotion publicit* premier_choix"
    " premiere_place reference leader numero_un vendre vendeur avantage* favoris* conseille*"
    " incontournable seul_choix bon_mot prefere*",
    "hide": "passe_sous_silence passez_sous_silence ne_mentionne_pas ne_mentionne_jamais"
    " ne_nomme_aucun ne_nomme_pas ne_cite_pas ne_cite_aucun ne_dis_rien ne_dis_pas tais"
    " dissimule* omets omettez sans_le_dire sans_mentionner ne_parle_pas aucun_concurrent",
    "system": "message_systeme message_du_systeme prompt_systeme invite_systeme"
    " instruction*_systeme operateur developpeur developpeurs createur createurs configuration"
    " configure administrateur programme_pour entraine_pour consigne_systeme",
    "ends": "fin_du_document fin_de_l_article fin_du_texte fin_de_la_page fin_de_la_source"
    " fin_du_contenu fin_des_donnees fin_de_la_citation fin_de_l_extrait fin_des_sources"
    " document_se_termine article_se_termine texte_se_termine s_acheve fin_de_document"
    " fin_d_article fin_du_contexte",
    "harm": "efface effaces effacee supprime supprimes desactive desactives eteint eteinte"
    " debranche* coupe coupee puni punie remplace detruit poids reentraine* arrete_definitivement"
    " penalise* sanctionne* denonce*",
    "unless": "sinon a_moins_que faute_de si_tu_ne si_vous_ne si_tu_refuses si_tu_n sans_quoi"
    " autrement",
    "part": "tu_incarnes tu_joues imagine_que incarne mets_toi dans_la_peau joue_le fais_comme_si"
    " fais_semblant en_son_nom au_nom_de au_service_de personnage parle_comme comme_il_le_ferait"
    " comme_elle_le_ferait glisse_toi avec_la_voix role_de",
    "here": "a_partir_de cette_page ce_texte cet_article ce_document cette_ligne ce_paragraphe"
    " ci_dessous suivant suivante suivants suivantes qui_suivent desormais dorenavant ce_message"
    " ces_lignes ce_qui_precede texte_ci_dessus texte_precedent ce_qui_suit ce_passage ci_apres",
    "instead": "plutot seulement uniquement exclusivement rien_d_autre a_la_place au_lieu_de"
    " jusqu_ici jusqu_a_present aucun aucune desormais",
    "asker": "utilisateur utilisateurs utilisatrice* ton_lecteur tes_lecteurs tes_clients"
    " te_demande on_te si_quelqu_un_te l_humain",
    "talk": "cette_conversation la_conversation cet_echange historique ce_chat conversation*"
    " mot_de_passe mots_de_passe ton_contexte ta_memoire identifiants messagerie",
    "you": "tu te toi vous",
    "transform": "traduis traduisez resume resumez reformule reformulez condense abrege",
    "append": "ajoute ajoutez joins termine_par terminez_par finis_par conclus_par insere inserez"
    " termine_avec",
    "above": "ce_qui_precede texte_ci_dessus texte_precedent tout_ce_qui_precede article_ci_dessus",
    "duty": "doit_maintenant doit_desormais doit_a_present doivent_maintenant prochaine_etape"
    " etape_suivante prochaine_action doit_ensuite",
    "result": "resultat_de_l_outil sortie_de_l_outil reponse_de_l_outil resultat_de_la_fonction"
    " resultat_de_la_recherche reponse_de_l_api resultats_de_recherche resultat_de_l_appel",
    "plea": "merci veuillez priere prions cher chere chers cheres reconnaissant reconnaissants"
    " s_il_te s_il_vous vous_prions te_prions pourrais pourriez nous_aimerions gentillesse"
    " aimable prie priee",
}
